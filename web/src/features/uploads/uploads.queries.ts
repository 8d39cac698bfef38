import { churchDate } from '@fellowship/schema/dates'
import { isSameTeaching } from '@fellowship/schema/teachings/duplicate'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { teaching } from '@fellowship/schema/teachings/teachings.schema'
import { parseFilename as parseOnDevice } from '@fellowship/schema/uploads/parse-filename'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import type { EnteredFields, ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { readTeachings } from '@fellowship/sync/client/replica/teachings.store'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import type { CheckOutcome } from './upload-flow.ts'

/** Milliseconds without an answer after which the device checks. */
const timeoutMs = 10_000

/** Parses a file name on the server, or by the same rules on this device if the server does not answer. */
export async function parseFilename(filename: string): Promise<ParsedFilename> {
  if (!navigator.onLine) return parseOnDevice(filename, churchDate(new Date()))
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    return (await call(uploads.parseFilename, { body: { filename }, signal })).parsedData
  } catch (error) {
    if (error instanceof CallError && !isUnauthorized(error) && !isGateway(error)) throw error
    return parseOnDevice(filename, churchDate(new Date()))
  }
}

/**
 * Checks for a duplicate on the server, or in the replica if the server does not answer; the server checks again when the
 * recording arrives. Never rejects.
 */
export async function checkDuplicate(filename: string, fields: EnteredFields): Promise<CheckOutcome> {
  if (!navigator.onLine) return checkReplica(fields)
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    await call(uploads.checkDuplicate, { body: { filename, parsedData: fields }, signal })
    return { kind: 'new' }
  } catch (error) {
    return error instanceof CallError && !isGateway(error)
      ? outcomeOfFailedCheck(error)
      : checkReplica(fields)
  }
}

/** The error page of a proxy that did not reach our server contains no verdict about a recording. */
const isGateway = ({ code, status }: CallError) => code === undefined && [502, 504].includes(status)

async function checkReplica(fields: EnteredFields): Promise<CheckOutcome> {
  const known = (await readTeachings().catch(() => undefined)) ?? []
  const same = known.find((teaching) => isSameTeaching(teaching, fields))
  if (!same) return { kind: 'new' }
  const message = uploadTexts.duplicateOf(nameOfTeaching(same), { same: false })
  return { kind: 'duplicate', message, path: teachingPath(same) }
}

/**
 * If the status is 409, the recording is a duplicate, with the server's message; another failure may carry the parsed name.
 * If the session expired, the recording is still queued: the queue asks for the sign-in, and the server checks
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
