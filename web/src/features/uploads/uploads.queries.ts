import { isSameTeaching } from '@fellowship/schema/teachings/duplicate'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import { parseFilename as parseHere } from '@fellowship/schema/uploads/parse-filename'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import type { EnteredFields, ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { readTeachings } from '@fellowship/sync/client/replica/teachings.store'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import type { CheckOutcome } from './upload-flow.ts'
import { outcomeOfFailedCheck } from './upload-outcomes.ts'

/** No answer for so long is as good as no line: the same rules are here. */
const patienceMs = 10_000

/** Reads a file's name: on the server, and here by the same rules where nobody answers there. */
export async function parseFilename(filename: string): Promise<ParsedFilename> {
  if (!navigator.onLine) return parseHere(filename)
  try {
    const signal = AbortSignal.timeout(patienceMs)
    return (await call(uploads.parseFilename, { body: { filename }, signal })).parsedData
  } catch (error) {
    if (error instanceof CallError && !isUnauthorized(error)) throw error
    return parseHere(filename)
  }
}

/**
 * Whether the same teaching stands in the library: on the server, or, as far as this device knows, here; the server
 * checks again when the recording arrives. Never rejects.
 */
export async function checkDuplicate(filename: string, fields: EnteredFields): Promise<CheckOutcome> {
  if (!navigator.onLine) return checkHere(fields)
  try {
    const signal = AbortSignal.timeout(patienceMs)
    await call(uploads.checkDuplicate, { body: { filename, parsedData: fields }, signal })
    return { kind: 'new' }
  } catch (error) {
    return error instanceof CallError ? outcomeOfFailedCheck(error) : checkHere(fields)
  }
}

async function checkHere(fields: EnteredFields): Promise<CheckOutcome> {
  const known = (await readTeachings().catch(() => undefined)) ?? []
  const same = known.find((teaching) => isSameTeaching(teaching, fields))
  if (!same) return { kind: 'new' }
  return { kind: 'duplicate', message: `${uploadTexts.duplicateMark}: ${nameOfTeaching(same)}` }
}
