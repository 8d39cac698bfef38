import JSZip from 'jszip'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { taggedBlob, wholeBlob } from './download-saved.ts'
import { foldAccents } from '@fellowship/schema/text-folding'

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

/** A recording to be copied to a USB stick. */
export interface ExportedAudio {
  title: string
  speaker: string
  /** YYYY-MM-DD */
  date: string
  /** 'mp3', 'wav' or 'm4a'. */
  extension: string
  bytes: number
}

/** Below the 2 GB that old tools and FAT readers fail at, with room for the archive's own directory. */
const exportPartBytes = 2_000_000_000

/** Oldest first, in parts that each stay under the limit. A part always holds at least one recording. */
export function exportParts<Recording extends ExportedAudio>(
  recordings: readonly Recording[],
  limit = exportPartBytes,
): Recording[][] {
  const parts: Recording[][] = []
  let room = 0
  for (const recording of [...recordings].sort((a, b) => a.date.localeCompare(b.date))) {
    if (parts.length === 0 || recording.bytes > room) {
      parts.push([])
      room = limit
    }
    parts.at(-1)!.push(recording)
    room -= recording.bytes
  }
  return parts
}

/**
 * Names in playing order, '01 - 2026-11-22 Grace - John Smith.mp3': leading zeros because cheap players sort by
 * letters, and only characters that FAT and Windows take (Microsoft, "Naming Files, Paths, and Namespaces").
 */
export function exportNames(recordings: readonly ExportedAudio[]): string[] {
  const digits = Math.max(2, String(recordings.length).length)
  return recordings.map(({ title, speaker, date, extension }, at) => {
    const number = String(at + 1).padStart(digits, '0')
    const name = plain(`${date} ${title} - ${speaker}`)
      .slice(0, 100)
      .replace(/[ .]+$/, '')
    return `${number} - ${name}.${plain(extension)}`
  })
}

/** A playlist of the names, with CRLF as old players expect. */
export const playlist = (names: readonly string[]): string => ['#EXTM3U', ...names, ''].join('\r\n')

function plain(text: string): string {
  return [...text.normalize('NFC').replaceAll('_', ' ')]
    .map((letter) => {
      const folded = foldAccents(letter)
      return letter === letter.toLowerCase() ? folded : folded.charAt(0).toUpperCase() + folded.slice(1)
    })
    .join('')
    .replaceAll(/[\p{Cc}\s<>:"/\\|?*]/gu, ' ')
    .replaceAll(/[^\u0020-\u007e]/g, '_')
    .replaceAll(/ +/g, ' ')
    .trim()
}
