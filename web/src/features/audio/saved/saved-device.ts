import { audioKeeper } from '@fellowship/sync/client/saved-audio/audio-keeper'
import {
  dropRecording,
  findEvicted,
  saveRecording,
  notePlayed,
  readNewestWish,
  readRecordings,
  wishForNewest,
  type KeepableTeaching,
} from '@fellowship/sync/client/saved-audio/audio-store'
import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import { liveQuery } from '@fellowship/sync/client/database/live-query'
import type { SavedShelf } from './device-state.ts'

/**
 * Tells what is saved, now and after every change in any tab; resolves when it was told for the first time. Whatever
 * waits to be fetched goes on being fetched.
 */
export function watchSaved(onChange: (shelf: SavedShelf) => void): Promise<void> {
  const read = async (): Promise<SavedShelf> => {
    const recordings = await readRecordings()
    const byKey = new Map(recordings.map((recording) => [recording.key, recording]))
    return { status: 'known', byKey, newest: await readNewestWish() }
  }
  audioKeeper()
  return new Promise((resolve) => {
    const tell = (shelf: SavedShelf) => {
      onChange(shelf)
      resolve()
    }
    const nothing = () => tell({ status: 'unavailable', byKey: new Map(), newest: 0 })
    liveQuery(read).subscribe({ next: tell, error: nothing })
  })
}

/** Saves recordings, in the order given. The wish is noted at once; the bytes follow one by one. */
export async function saveRecordings(teachings: readonly KeepableTeaching[]): Promise<void> {
  askToBeKept()
  const now = Date.now()
  for (const [at, teaching] of teachings.entries()) await saveRecording(teaching, now + at)
  audioKeeper().wake()
}

export const remove = (key: string): Promise<void> => dropRecording(key)

export async function removeAll(keys: readonly string[]): Promise<void> {
  for (const key of keys) await dropRecording(key)
}

/** Keeps so many of the newest as they appear; 0 stops that and removes nothing. */
export async function saveNewestOnes(count: number): Promise<void> {
  if (count > 0) askToBeKept()
  await wishForNewest(count)
}

/** A recording turned out not to be whole: finds all of these, and marks them. */
export const findMissing = (): Promise<string[]> => findEvicted()

export async function notePlayedNow(audioUrl: string): Promise<void> {
  const key = audioKeyOf(audioUrl)
  if (key) await notePlayed(key, Date.now())
}

const askedKey = 'asked-to-be-kept'

/**
 * Asks the browser once not to clear this site by itself. Its answer may wait for a person, or never come, so nobody
 * waits for it.
 */
function askToBeKept(): void {
  try {
    if (localStorage.getItem(askedKey)) return
    localStorage.setItem(askedKey, '1')
  } catch {
    // A browser without storage keeps nothing anyway.
  }
  navigator.storage?.persist?.().catch(() => false)
}
