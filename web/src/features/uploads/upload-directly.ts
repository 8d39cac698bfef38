import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { CallError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { holdWhile } from '../../lib/busy.ts'
import { uploadedToast } from '../sync/page-queues.ts'
import { IncompleteAnswer, sendForm, UploadTimeout } from '../../lib/send-form.ts'
import { handleUnauthorized } from '../../lib/unauthorized.ts'
import { showToast } from '../../ui/toast.ts'

const listeners = new Set<(teaching: Teaching | null) => void>()

/** Calls back when a recording came to the library, or may have come; null where it is not known as what. */
export function onSentDirectly(listener: (teaching: Teaching | null) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Where the browser keeps nothing for the site, a recording goes straight to the library, in one request while its page
 * stays open, and SPEC §8's messages follow at once.
 *
 * @returns whether it is over; false leaves it to the person
 */
export async function uploadDirectly(file: File, fields: EnteredFields): Promise<boolean> {
  try {
    const { teaching } = await holdWhile(() => {
      const body = { ...fields, overrideData: JSON.stringify(fields) }
      return sendForm(uploads.smartUpload, { body, files: { audioFile: file } })
    })
    showToast(uploadedToast(teaching))
    tell(teaching)
    return true
  } catch (error) {
    return met(error)
  }
}

function met(error: unknown): boolean {
  if (error instanceof IncompleteAnswer) {
    showToast(uploadTexts.completedUnseen)
    tell(null)
    return true
  }
  if (error instanceof CallError && error.code === 'duplicate') {
    showToast({ ...uploadTexts.duplicate, kind: 'destructive' })
    return true
  }
  const words =
    error instanceof UploadTimeout ? uploadTexts.timeout : uploadTexts.failed(sentenceOfError(error))
  showToast({ ...words, kind: 'destructive' })
  handleUnauthorized(error)
  return false
}

function tell(teaching: Teaching | null): void {
  for (const listener of listeners) listener(teaching)
}
