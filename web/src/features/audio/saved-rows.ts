import { yearOf } from '@fellowship/schema/dates'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { audioKeyOf } from '@fellowship/sync/client/audio-address'
import type { SavedRecording } from '@fellowship/sync/client/database'
import type { SavedShelf } from './device-state.ts'

/**
 * What is on this device as rows of the library, newest teaching first. One that has left the library, or whose
 * library is not here, is shown from what was kept beside it.
 */
export function savedRows(shelf: SavedShelf, rows: readonly Teaching[]): Teaching[] {
  const inLibrary = new Map<string, Teaching>()
  for (const teaching of rows) {
    const key = audioKeyOf(teaching.audioUrl)
    if (key) inLibrary.set(key, teaching)
  }
  return [...shelf.byKey.values()]
    .map((recording) => inLibrary.get(recording.key) ?? fromRecording(recording))
    .sort((a, b) => (a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1))
}

const fromRecording = ({ teachingUid, title, speaker, date, url, size, type }: SavedRecording): Teaching => ({
  id: 0,
  uid: teachingUid,
  rev: 0,
  title,
  speaker,
  date,
  year: yearOf(date),
  scriptureReference: null,
  audioUrl: url,
  duration: null,
  audioBytes: size,
  audioMime: type,
})
