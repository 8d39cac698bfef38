import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { recordingBlob } from '@fellowship/sync/client/saved-audio/audio-store'

/**
 * The bytes of a saved recording.
 *
 * @throws Error with a sentence where they are not all here
 */
export async function wholeBlob({ key, title }: Pick<SavedRecording, 'key' | 'title'>): Promise<Blob> {
  const blob = await recordingBlob(key)
  if (!blob) throw new Error(`"${title}" is not whole on this device. Save it again first.`)
  return blob
}
