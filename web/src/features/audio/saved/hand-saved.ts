import { downloadName } from '@fellowship/schema/teachings/download-name'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { recordingBlob } from '@fellowship/sync/client/saved-audio/audio-store'
import { handFile } from './hand-file.ts'
import { taggedBlob } from './tagged-blob.ts'

/** Hands out a saved recording as the server would: under its readable name, with a tag. False where bytes are missing. */
export async function handSaved(saved: SavedRecording): Promise<boolean> {
  const blob = await recordingBlob(saved.key)
  if (!blob) return false
  const extension = (saved.url.split('.').at(-1) ?? 'mp3') as AudioExtension
  const tagged = await taggedBlob(blob, extension, { ...saved, scriptureReference: null })
  await handFile(downloadName(saved, extension), new Blob([tagged], { type: saved.type }))
  return true
}
