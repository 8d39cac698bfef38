import { editOf, textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching, TeachingEdit } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { appendDelete, appendEdit } from '@fellowship/sync/client/outbox/outbox'
import { seenOf } from '@fellowship/sync/client/uploads/replacement'
import { copyToDevice } from '../uploads/copy-file.ts'
import { pageQueues, watchFor } from '../sync/page-queues.ts'
import { showToast } from '../../ui/toast.ts'

/** Appends an edit of the shown teaching to the outbox. If it changes no field, it counts as done. */
export async function saveEdit(shown: Teaching, edit: TeachingEdit, userId: number): Promise<void> {
  pageQueues().setUser(userId)
  const text = textOf(edit)
  const entry = await appendEdit(appDatabase(), shown, text, { userId, now: Date.now() })
  if (entry) watchFor(entry.seq)
  else showToast({ title: teachingTexts.updated })
}

export async function saveDeletion(shown: Teaching, userId: number): Promise<void> {
  pageQueues().setUser(userId)
  const entry = await appendDelete(appDatabase(), shown, { userId, now: Date.now() })
  watchFor(entry.seq)
}

/** Adds replacement audio to the upload queue, with the edited fields and a file with its text. */
export async function replaceRecording(
  shown: Teaching,
  edit: TeachingEdit,
  file: File,
  userId: number,
  captions: ArrayBuffer | undefined,
): Promise<void> {
  pageQueues().setUser(userId)
  const fields = editOf(textOf(shown), edit)
  const { id, uid, rev } = shown
  await copyToDevice(file, {
    fields,
    ownerUserId: userId,
    replace: { teachingId: id, baseRev: rev, uid },
    seen: seenOf(shown),
    ...(captions && { captions }),
    now: Date.now(),
  })
}
