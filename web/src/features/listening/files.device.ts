import { parseListeningFile, type ListeningFile } from '@fellowship/schema/listening/listening-file'
import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import {
  deleteListening,
  exportListening,
  importListening,
} from '@fellowship/sync/client/listening/listening-file.store'
import { clockTime } from '../../lib/clock-time.ts'
import { downloadFile } from '../../lib/download-file.ts'
import { forgetLeft } from '../../lib/left-moments.ts'

/** Downloads a file with all listening data, for a later import or for reading. */
export async function exportFile(kind: 'json' | 'text'): Promise<undefined> {
  const file = await exportListening()
  const day = file.exportedAt.slice(0, 10)
  const [words, type, name] =
    kind === 'json'
      ? [JSON.stringify(file, null, 1), 'application/json', `my-listening-${day}.json`]
      : [readable(file), 'text/plain;charset=utf-8', `my-listening-${day}.txt`]
  await downloadFile(name, new Blob([words], { type }))
  return undefined
}

/**
 * Merges a file into this device's listening data.
 *
 * @returns the result as a sentence
 * @throws Error with a sentence
 */
export async function importFile(file: File): Promise<string> {
  const { positions, marks, notes, upNext } = await importListening(
    parseListeningFile(file.size > readableBytes ? '' : await file.text(), file.size),
  )
  return listeningTexts.imported(positions + marks + notes + upNext)
}

/** Files larger than this are rejected without being read. */
const readableBytes = 20_000_000

/** Deletes all of it from this device. */
export async function deleteAll(): Promise<void> {
  forgetLeft()
  await deleteListening()
}

/** The data as text with CRLF line ends, which every editor shows. */
function readable({ exportedAt, positions, marks, notes, upNext }: ListeningFile): string {
  const named = ({ title, speaker, date, uid }: ListeningFile['upNext'][number]) =>
    title === undefined ? `No longer in the library (${uid})` : `${withSpaces(title)}, ${speaker}, ${date}`
  const lists: [string, string[]][] = [
    ['Up next', upNext.map(named)],
    ['Favourites', marks.filter(({ favourite }) => favourite?.on).map(named)],
    [
      'Notes',
      notes.map(
        (note) =>
          `${named(note)}, at ${clockTime(note.seconds)}:\n    ${note.text.replaceAll('\n', '\n    ')}`,
      ),
    ],
    ['Heard', marks.filter(({ heard }) => heard?.on).map(named)],
    [
      'Places',
      positions.map(
        (place) => `${named(place)}: ${clockTime(place.seconds)} of ${clockTime(place.duration)}`,
      ),
    ],
  ]
  const parts = lists.map(([title, lines]) => [title, ...lines.map((line) => `  ${line}`)].join('\n'))
  return [`My listening, ${exportedAt}`, ...parts, ''].join('\n\n').replaceAll('\n', '\r\n')
}
