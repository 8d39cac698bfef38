import JSZip from 'jszip'
import { playlist, takeAlongNames, takeAlongParts, type TakeAlong } from '@fellowship/schema/audio/take-along'
import { recordingBlob } from '@fellowship/sync/client/saved-audio/audio-store'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'

export interface TakeAlongPart {
  /** 'teaching-1-of-2.zip' */
  name: string
  zip: Blob
}

/**
 * Saved recordings as ZIP files for a stick or a car: numbered names that every player takes, a playlist beside
 * them, each part under 2 GB. Audio does not compress, so it is stored as it is.
 *
 * @param onProgress the share that is packed, 0 to 1
 * @throws Error naming a recording whose bytes are not all here
 */
export async function* packTakeAlong(
  recordings: readonly SavedRecording[],
  onProgress: (share: number) => void,
): AsyncGenerator<TakeAlongPart> {
  const parts = takeAlongParts(recordings.map(described))
  for (const [at, part] of parts.entries()) {
    const zip = new JSZip()
    const names = takeAlongNames(part)
    for (const [place, { key, title }] of part.entries()) {
      const blob = await recordingBlob(key)
      if (!blob) throw new Error(`"${title}" is not whole on this device. Save it again first.`)
      zip.file(names[place]!, blob, { date: new Date() })
    }
    zip.file('playlist.m3u', playlist(names))
    const packed = await zip.generateAsync(
      { type: 'blob', compression: 'STORE', streamFiles: true, platform: 'DOS' },
      ({ percent }) => onProgress((at + percent / 100) / parts.length),
    )
    const name = parts.length === 1 ? 'teaching.zip' : `teaching-${at + 1}-of-${parts.length}.zip`
    yield { name, zip: packed }
  }
}

const described = (recording: SavedRecording): SavedRecording & TakeAlong => ({
  ...recording,
  extension: recording.url.split('.').at(-1) ?? 'mp3',
  bytes: recording.size,
})
