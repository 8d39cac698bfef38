import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching, TeachingEdit } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { holdWhile } from '../../lib/busy.ts'
import { sendForm } from '../../lib/send-form.ts'
import { handleUnauthorized } from '../../lib/unauthorized.ts'
import { showToast } from '../../ui/toast.ts'
import { refreshLibrary } from './teachings-device.ts'

/** Where the browser keeps nothing for the site, a change goes straight to the library, and is made or refused at once. */

/** @throws CallError, NetworkError, UploadTimeout: the dialog stays open with what was entered */
export async function updateDirectly(
  { id, rev }: Teaching,
  edit: TeachingEdit,
  audioFile?: File,
): Promise<void> {
  const input = { params: { id }, body: { ...edit, baseRev: rev }, files: { audioFile } }
  await told(teachingTexts.updated, () => holdWhile(() => sendForm(teachings.update, input)))
}

/** @throws CallError, NetworkError */
export async function deleteDirectly({ id, rev }: Teaching): Promise<void> {
  await told(teachingTexts.deleted, async () => {
    await call(teachings.remove, { params: { id }, query: { baseRev: rev } }).catch((error: unknown) => {
      // SPEC §7: gone already is what was wanted.
      if (!(error instanceof CallError && error.status === 404)) throw error
    })
  })
}

async function told(title: string, change: () => Promise<unknown>): Promise<void> {
  try {
    await change()
  } catch (error) {
    handleUnauthorized(error)
    throw error
  }
  showToast({ title })
  // It is made, whether the list can be fetched anew or not.
  await refreshLibrary().catch(() => undefined)
}
