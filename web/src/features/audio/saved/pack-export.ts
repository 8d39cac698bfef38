import JSZip from 'jszip'
import { playlist, exportNames, exportParts, type ExportedAudio } from '@fellowship/schema/audio/audio-export'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { taggedBlob, wholeBlob } from './download-saved.ts'

export interface ExportPart {
  /** 'teaching-1-of-2.zip' */
  name: string
  zip: Blob
}

/** A saved recording with its scripture reference, and the small copy if that is exported instead. */
export interface ExportChoice {
  recording: SavedRecording
  scriptureReference?: string | null | undefined
  small?: { url: string; bytes: number } | undefined
}

/**
 * Saved recordings as ZIP files for a USB stick or a car: numbered names that every player accepts, with a playlist,
 * each part under 2 GB. Audio does not compress, so it is stored uncompressed, with a tag that the player shows.
 * Fetches the small copies.
 *
 * @param onProgress the share that is packed, 0 to 1
 * @throws Error with the title of a recording if some of its bytes are missing or its small copy could not be fetched
 */
export async function* packExport(
  recordings: readonly ExportChoice[],
  onProgress: (share: number) => void,
): AsyncGenerator<ExportPart> {
  const parts = exportParts(recordings.map(described))
  for (const [at, part] of parts.entries()) {
    const zip = new JSZip()
    const names = exportNames(part)
    for (const [place, { choice, extension }] of part.entries()) {
      const blob = await bytesOf(choice)
      const { recording, scriptureReference = null } = choice
      const tagged = await taggedBlob(blob, extension, { ...recording, scriptureReference })
      zip.file(names[place]!, tagged, { date: new Date() })
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

const described = (choice: ExportChoice): ExportedAudio & { choice: ExportChoice } => {
  const { recording, small } = choice
  const { title, speaker, date } = recording
  const { url, size } = small ? { url: small.url, size: small.bytes } : recording
  return { choice, title, speaker, date, extension: url.split('.').at(-1) ?? 'mp3', bytes: size }
}

async function bytesOf({ recording, small }: ExportChoice): Promise<Blob> {
  if (small) {
    const response = await fetch(small.url).catch(() => undefined)
    const blob = response?.ok ? await response.blob().catch(() => undefined) : undefined
    if (blob?.size === small.bytes) return blob
    throw new Error(
      `The small copy of "${recording.title}" could not be fetched. Try again when you have signal.`,
    )
  }
  return wholeBlob(recording)
}
