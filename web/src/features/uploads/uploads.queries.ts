import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import type { EnteredFields, ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { call } from '@fellowship/sync/call/call'
import { sendForm } from '../../lib/send-form.ts'
import { handleUnauthorized } from '../../lib/unauthorized.ts'
import type { CheckOutcome, UploadOutcome } from './upload-flow.ts'
import { outcomeOfFailedCheck, outcomeOfFailedUpload, outcomeOfUpload } from './upload-outcomes.ts'

/** Reads a file's name on the server. */
export async function parseFilename(filename: string): Promise<ParsedFilename> {
  try {
    return (await call(uploads.parseFilename, { body: { filename } })).parsedData
  } catch (error) {
    handleUnauthorized(error)
    throw error
  }
}

/** Whether the same teaching stands in the library. Never rejects. */
export async function checkDuplicate(filename: string, fields: EnteredFields): Promise<CheckOutcome> {
  try {
    await call(uploads.checkDuplicate, { body: { filename, parsedData: fields } })
    return { kind: 'new' }
  } catch (error) {
    handleUnauthorized(error)
    return outcomeOfFailedCheck(error)
  }
}

/** Sends the recording; the fields win over its name. Never rejects. */
export async function uploadRecording(
  audioFile: File,
  fields: EnteredFields,
  onProgress: (share: number) => void,
): Promise<UploadOutcome> {
  try {
    const body = { ...fields, overrideData: JSON.stringify(fields) }
    const answer: { teaching?: Teaching } = await sendForm(
      uploads.smartUpload,
      { body, files: { audioFile } },
      { onProgress },
    )
    return outcomeOfUpload(answer)
  } catch (error) {
    handleUnauthorized(error)
    return outcomeOfFailedUpload(error)
  }
}
