import { foldAccents } from '../text-folding.ts'

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
  for (const recording of [...recordings].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))) {
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
