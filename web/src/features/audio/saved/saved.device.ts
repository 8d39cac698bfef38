import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { readAhead, trimAhead } from '@fellowship/sync/client/saved-audio/ahead-store'
import { audioDownloads } from '@fellowship/sync/client/saved-audio/audio-downloads'
import {
  dropRecording,
  findEvicted,
  saveInstead,
  saveRecording,
  notePlayed,
  readNewestCount,
  readRecordings,
  keepNewest,
  type SavableTeaching,
} from '@fellowship/sync/client/saved-audio/audio-store'
import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import { watch } from '@fellowship/sync/client/engine/live'
import { fetchesAhead, prefersSmall } from '../data-choices.ts'
import { readStored, store } from '../../../lib/site-storage.ts'
import { keepSounds } from './kept-sounds.ts'
import { withRoom, type SavedShelf } from './device-state.list.ts'

/**
 * Reports the saved recordings, now and after every change in any tab; resolves after the first report. Continues queued
 * downloads.
 */
export function watchSaved(onChange: (shelf: SavedShelf) => void): Promise<void> {
  const { room } = audioDownloads()
  const read = async (): Promise<SavedShelf> => {
    const recordings = withRoom(await readRecordings(), room.isUnmarked())
    const held = (await readAhead()).filter(({ state }) => state === 'ready')
    return {
      status: 'known',
      byKey: byKeyOf(recordings),
      held: byKeyOf(held),
      newest: await readNewestCount(),
    }
  }
  void renewWish().catch(() => undefined)
  let keepsMore = false
  const keepMore = ({ byKey }: SavedShelf) => {
    // Most devices have no recording.
    if (keepsMore || byKey.size === 0) return
    keepsMore = true
    import('../../handouts/kept-handouts.ts').then((part) => part.keepHandouts(), nothing)
    import('../../transcripts/kept-texts.ts').then((part) => part.keepTexts(), nothing)
  }
  return new Promise((resolve) => {
    const tell = (shelf: SavedShelf) => {
      onChange(shelf)
      keepMore(shelf)
      resolve()
    }
    let isKnown = false
    const refresh = () => void read().then(tell, () => undefined)
    room.onChange(refresh)
    watch(
      async () => {
        const shelf = await read()
        isKnown = true
        return shelf
      },
      tell,
      // If an earlier read succeeded, the last state stays.
      () => isKnown || tell({ status: 'unavailable', byKey: new Map(), newest: 0 }),
    )
  })
}

const byKeyOf = (recordings: readonly SavedRecording[]) =>
  new Map(recordings.map((recording) => [recording.key, recording]))

/** Queues the newest again, as the choice of small recordings may have changed. */
async function renewWish(): Promise<void> {
  const count = await readNewestCount()
  if (count > 0) await keepNewest(count, { small: prefersSmall() })
}

/**
 * Queues recordings to be saved, in the order given; they are downloaded one by one.
 *
 * @param measured their rows of the library, whose silences are cached as well
 */
export async function saveRecordings(
  teachings: readonly SavableTeaching[],
  measured: readonly ListedTeaching[] = [],
): Promise<void> {
  requestPersistence()
  const now = Date.now()
  for (const [at, teaching] of teachings.entries()) await saveRecording(teaching, now + at)
  audioDownloads().wake()
  void keepSounds(measured)
}

/**
 * Saves one size of a teaching; the saved bytes of the other size stay until this one is complete.
 *
 * @param measured the library's row
 */
export async function saveSize(
  wanted: SavableTeaching,
  other: SavableTeaching,
  measured: ListedTeaching,
): Promise<void> {
  requestPersistence()
  await saveInstead(wanted, other.audioUrl ?? '', Date.now())
  audioDownloads().wake()
  void keepSounds([measured])
}

const nothing = () => undefined

export const remove = (key: string): Promise<void> => removeAll([key])

export async function removeAll(keys: readonly string[]): Promise<void> {
  const holdsAhead = fetchesAhead()
  const owner = holdsAhead ? await appDatabase().signedInUser() : undefined
  for (const key of keys) await dropRecording(key, undefined, { holdsAhead, owner })
  if (holdsAhead) await trimAhead()
  // There may be room now.
  audioDownloads().wake()
}

/** Saves this many of the newest automatically; 0 stops that and removes nothing. */
export async function saveNewestOnes(count: number): Promise<void> {
  if (count > 0) requestPersistence()
  await keepNewest(count, { small: prefersSmall() })
}

/** Finds and marks saved recordings with missing bytes. */
export const findMissing = (): Promise<string[]> => findEvicted()

export async function notePlayedNow(audioUrl: string): Promise<void> {
  const key = audioKeyOf(audioUrl)
  if (key) await notePlayed(key, Date.now())
}

const askedKey = 'asked-to-be-kept'

/**
 * Requests persistent storage once. The browser may prompt the user, or never answer, so nothing awaits it.
 */
function requestPersistence(): void {
  if (readStored(askedKey)) return
  store(askedKey, 1)
  navigator.storage?.persist?.().catch(() => false)
}
