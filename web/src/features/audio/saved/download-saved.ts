import { downloadName } from '@fellowship/schema/teachings/download-name'
import { audioExtensions, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { blobBytes } from '@fellowship/sound/read/bytes'
import type { TaggedTeaching } from '@fellowship/sound/write/id3'
import { taggedParts } from '@fellowship/sound/write/tags'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { recordingBlob } from '@fellowship/sync/client/saved-audio/audio-store'
import { downloadFile } from '../../../lib/download-file.ts'

/**
 * Downloads a recording from this device under the server's name for it, with a tag of its saved title and speaker.
 *
 * @throws Error with a sentence if some of its bytes are missing
 */
export async function downloadSaved(saved: SavedRecording): Promise<void> {
  const blob = await wholeBlob(saved)
  const extension = (saved.url.split('.').at(-1) ?? 'mp3') as AudioExtension
  const tagged = await taggedBlob(blob, extension, { ...saved, scriptureReference: null })
  await downloadFile(downloadName(saved, extension), new Blob([tagged], { type: saved.type }))
}

/**
 * The bytes of a saved recording.
 *
 * @throws Error with a sentence if some are missing
 */
export async function wholeBlob({ key, title }: Pick<SavedRecording, 'key' | 'title'>): Promise<Blob> {
  const blob = await recordingBlob(key)
  if (!blob) throw new Error(`"${title}" is not whole on this device. Save it again first.`)
  return blob
}

/** Replaces the tags of a recording by the library's; returns it unchanged if its format is not supported. */
export async function taggedBlob(blob: Blob, extension: string, teaching: TaggedTeaching): Promise<Blob> {
  const kind = audioExtensions.find((each) => each === extension)
  const parts = kind && (await taggedParts(blobBytes(blob), kind, { teaching }))
  return parts
    ? new Blob(parts.map((part) => ('from' in part ? blob.slice(part.from, part.to) : part)))
    : blob
}
