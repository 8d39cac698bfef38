import { emptyText, storedWords } from '@fellowship/schema/teachings/teaching-words'
import { yearOf } from '@fellowship/schema/dates'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import type { SavedShelf } from './device-state.ts'

/**
 * What is on this device as rows of the library, newest teaching first. One that has left the library, or whose
 * library is not here, is shown from what was kept beside it. A teaching whose recording was replaced, and of which both
 * are here, is one row: of the one that plays, and of two of those the library's.
 */
export function savedRows(shelf: SavedShelf, rows: readonly Teaching[]): Teaching[] {
  // Most devices hold none, and looking for them takes a slow one a frame.
  if (shelf.byKey.size === 0) return []
  const inLibrary = new Map<string, Teaching>()
  for (const teaching of rows) {
    for (const key of [teaching.audioUrl, teaching.copyUrl].map(audioKeyOf))
      if (key) inLibrary.set(key, teaching)
  }
  const byTeaching = new Map<string, { row: Teaching; rank: number }>()
  for (const recording of shelf.byKey.values()) {
    const current = inLibrary.get(recording.key)
    const row = current ?? fromRecording(recording)
    const rank = (recording.state === 'ready' ? 2 : 0) + (current ? 1 : 0)
    if (rank > (byTeaching.get(row.uid)?.rank ?? -1)) byTeaching.set(row.uid, { row, rank })
  }
  return [...byTeaching.values()]
    .map(({ row }) => row)
    .sort((a, b) => (a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1))
}

const fromRecording = ({ teachingUid, title, speaker, date, url, size, type }: SavedRecording): Teaching => ({
  id: 0,
  uid: teachingUid,
  rev: 0,
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
})
