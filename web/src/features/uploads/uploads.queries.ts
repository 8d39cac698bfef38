import { isSameTeaching } from '@fellowship/schema/teachings/duplicate'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import { parseFilename as parseOnDevice } from '@fellowship/schema/uploads/parse-filename'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import type { EnteredFields, ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { readTeachings } from '@fellowship/sync/client/replica/teachings.store'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import type { CheckOutcome } from './upload-flow.ts'
import { outcomeOfFailedCheck } from './upload-outcomes.ts'

/** Milliseconds without an answer after which the device checks. */
const timeoutMs = 10_000

/** Parses a file name on the server, or by the same rules on this device if the server does not answer. */
export async function parseFilename(filename: string): Promise<ParsedFilename> {
  if (!navigator.onLine) return parseOnDevice(filename)
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    return (await call(uploads.parseFilename, { body: { filename }, signal })).parsedData
  } catch (error) {
    if (error instanceof CallError && !isUnauthorized(error) && !isGateway(error)) throw error
    return parseOnDevice(filename)
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
  const message = `${uploadTexts.duplicateMark}: ${nameOfTeaching(same)}`
  return { kind: 'duplicate', message, path: teachingPath(same) }
}
