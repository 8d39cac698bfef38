import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { uploadTexts as texts } from '@fellowship/schema/uploads/uploads.texts'
import { CallError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { IncompleteAnswer, UploadTimeout } from '../../lib/send-form.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import type { CheckOutcome, UploadOutcome } from './upload-flow.ts'

/** SPEC §8: 409 is a duplicate with the server's message; another failure may carry what the name was read as. */
export function outcomeOfFailedCheck(error: unknown): CheckOutcome {
  if (isUnauthorized(error)) return { kind: 'unauthorized' }
  if (!(error instanceof CallError)) return { kind: 'failed' }
  if (error.status === 409) return { kind: 'duplicate', message: error.sentence }
  const parsed = error.body['parsedData']
  return isParsed(parsed) ? { kind: 'issues', parsed } : { kind: 'failed' }
}

/** What the answer to an upload means: without its teaching it is incomplete. */
export function outcomeOfUpload(answer: { teaching?: Teaching | null } | null): UploadOutcome {
  return answer?.teaching ? { kind: 'done', teaching: answer.teaching } : { kind: 'incomplete' }
}

/** SPEC §8: 409 or its words are a duplicate, a stall or an abort is a timeout, the rest is told as it is. */
export function outcomeOfFailedUpload(error: unknown): UploadOutcome {
  if (isUnauthorized(error)) return { kind: 'unauthorized' }
  if (error instanceof IncompleteAnswer) return { kind: 'incomplete' }
  if (error instanceof UploadTimeout || (error instanceof DOMException && error.name === 'AbortError')) {
    return { kind: 'timeout' }
  }
  const message = sentenceOfError(error)
  if ((error instanceof CallError && error.status === 409) || message.includes(texts.duplicateMark)) {
    return { kind: 'duplicate' }
  }
  return { kind: 'failed', message }
}

function isParsed(value: unknown): value is ParsedFilename {
  return typeof value === 'object' && value !== null && 'errors' in value && Array.isArray(value.errors)
}
