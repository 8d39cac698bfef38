import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import type { CallError } from '@fellowship/sync/call/call-error'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import type { CheckOutcome } from './upload-flow.ts'

/**
 * If the status is 409, the recording is a duplicate, with the server's message; another failure may carry the parsed name.
 * If the session expired, the recording is queued all the same: the queue asks for the sign-in, and the server checks
 * again.
 */
export function outcomeOfFailedCheck(error: CallError): CheckOutcome {
  if (isUnauthorized(error)) return { kind: 'new' }
  if (error.status === 409)
    return { kind: 'duplicate', message: error.sentence, path: pathOf(error.body['duplicateOf']) }
  const parsed = error.body['parsedData']
  return isParsed(parsed) ? { kind: 'issues', parsed } : { kind: 'failed' }
}

function isParsed(value: unknown): value is ParsedFilename {
  return typeof value === 'object' && value !== null && 'errors' in value && Array.isArray(value.errors)
}

/** The path of the teaching that the rejection contains. */
function pathOf(value: unknown): string | undefined {
  const { data } = named.safeParse(value)
  return data && teachingPath(data)
}

const named = teaching.pick({ uid: true, date: true, title: true, scriptureReference: true })
