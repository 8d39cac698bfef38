import { liveQuery, uploadDatabase, type UploadJob } from '@fellowship/sync/client/database'
import {
  cancelUpload,
  correctUpload,
  pauseUpload,
  readUploads,
  resumeUpload,
  retryUpload,
} from '@fellowship/sync/client/upload-jobs'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { keepAgain } from '../../lib/keep-file.ts'
import { pageWork } from '../../lib/page-work.ts'

/** Tells this person's recordings on this device, in the order they were given, now and after every change. */
export function watchQueue(userId: number, onChange: (jobs: readonly UploadJob[]) => void): () => void {
  const subscription = liveQuery(() => readUploads(uploadDatabase(), userId)).subscribe({
    next: onChange,
    // Without a database nothing waits in it.
    error: () => undefined,
  })
  return () => subscription.unsubscribe()
}

export const pause = (id: string): Promise<void> => pauseUpload(uploadDatabase(), id)

export async function resume(id: string): Promise<void> {
  await resumeUpload(uploadDatabase(), id, Date.now())
  pageWork().uploads.hurry()
}

/** Given up, or taken off the list where it is done. */
export const remove = (id: string): Promise<void> => cancelUpload(uploadDatabase(), id)

/** Better words: for what is on its way they are just noted, for what was refused they are another try. */
export async function correct({ id, state }: UploadJob, fields: EnteredFields): Promise<void> {
  if (state === 'rejected' || state === 'duplicate')
    await retryUpload(uploadDatabase(), id, { fields }, Date.now())
  else await correctUpload(uploadDatabase(), id, fields)
}

/** Another try; where somebody else changed the teaching meanwhile, upon what they made of it. */
export async function retry({ id, replace, lastError }: UploadJob): Promise<void> {
  const current = replace && lastError?.current
  await retryUpload(
    uploadDatabase(),
    id,
    current ? { replace: { teachingId: current.id, baseRev: current.rev } } : {},
    Date.now(),
  )
}

export const chooseAnew = (id: string, file: File): Promise<string | undefined> => keepAgain(id, file)
