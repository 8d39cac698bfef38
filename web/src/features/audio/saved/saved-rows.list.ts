import { yearOf } from '@fellowship/schema/dates'
import {
  isInLibrary,
  type ListedTeaching,
  type SavedTeaching,
} from '@fellowship/schema/teachings/saved-teaching'
import { emptyText, storedWords } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import type { SavedShelf } from './device-state.list.ts'

/**
 * The saved recordings as rows of a list, newest teaching first. A teaching that has left the library, or whose library is
 * not loaded, is shown from the words saved with its recording. If both the recording and its replacement are saved, they are
 * one row: that of the recording that plays, and if both play, that of the library.
 */
export function savedRows(shelf: SavedShelf, rows: readonly Teaching[]): ListedTeaching[] {
  // Most devices hold none, and looking for them takes a slow one a frame.
  if (shelf.byKey.size === 0) return []
  const inLibrary = new Map<string, Teaching>()
  for (const teaching of rows) {
    for (const key of [teaching.audioUrl, teaching.copyUrl].map(audioKeyOf))
      if (key) inLibrary.set(key, teaching)
  }
  const byTeaching = new Map<string, { row: ListedTeaching; rank: number }>()
  for (const recording of shelf.byKey.values()) {
    const current = inLibrary.get(recording.key)
    const row = current ?? fromRecording(recording)
    const rank = (recording.state === 'ready' ? 2 : 0) + (current ? 1 : 0)
    if (rank > (byTeaching.get(row.uid)?.rank ?? -1)) byTeaching.set(row.uid, { row, rank })
  }
  return [...byTeaching.values()]
    .map(({ row }) => row)
    .sort((a, b) => (a.date === b.date ? ageOf(b) - ageOf(a) : a.date < b.date ? 1 : -1))
}

/** Of two teachings of a date, the one added later has the higher id. */
const ageOf = (teaching: ListedTeaching) => (isInLibrary(teaching) ? teaching.id : 0)

const fromRecording = ({
  teachingUid,
  title,
  speaker,
  date,
  url,
  size,
  type,
}: SavedRecording): SavedTeaching => ({
  uid: teachingUid,
  ...storedWords({ ...emptyText, title, speaker, date }),
  year: yearOf(date),
  audioUrl: url,
  duration: null,
  audioBytes: size,
  audioMime: type,
  copyUrl: null,
  copyBytes: null,
  copyMime: null,
  loudness: null,
  transcriptRev: null,
  handouts: null,
})
