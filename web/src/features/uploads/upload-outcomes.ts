import type { ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import type { CallError } from '@fellowship/sync/call/call-error'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import type { CheckOutcome } from './upload-flow.ts'

/**
 * 409 is a duplicate with the server's message; another failure may carry what the name was read as. A session
 * that ended is no reason to keep a recording out of the queue, which checks again and asks for the sign-in.
 */
export function outcomeOfFailedCheck(error: CallError): CheckOutcome {
  if (isUnauthorized(error)) return { kind: 'new' }
  if (error.status === 409) return { kind: 'duplicate', message: error.sentence }
  const parsed = error.body['parsedData']
  return isParsed(parsed) ? { kind: 'issues', parsed } : { kind: 'failed' }
}

function isParsed(value: unknown): value is ParsedFilename {
  return typeof value === 'object' && value !== null && 'errors' in value && Array.isArray(value.errors)
}
