import { downloadName } from '@fellowship/schema/teachings/download-name'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { downloadFile } from '../../../lib/download-file.ts'
import { taggedBlob } from './tagged-blob.ts'
import { wholeBlob } from './whole-blob.ts'

/**
 * Downloads a recording from this device: under the name that the server gives it, with a tag of what was saved beside it.
 *
 * @throws Error with a sentence where bytes of it are missing
 */
export async function downloadSaved(saved: SavedRecording): Promise<void> {
  const blob = await wholeBlob(saved)
  const extension = (saved.url.split('.').at(-1) ?? 'mp3') as AudioExtension
  const tagged = await taggedBlob(blob, extension, { ...saved, scriptureReference: null })
  await downloadFile(downloadName(saved, extension), new Blob([tagged], { type: saved.type }))
}
