import { aTeaching } from '@fellowship/schema/testing/builders'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { readUpNext, writeUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { audioKeyOf } from '@fellowship/sync/client/saved-audio/audio-address'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SilentAudio } from '../../../testing/silent-audio.ts'
import { toastStore } from '../../../ui/toast.ts'
import { positionsKnown } from '../../listening/positions.ts'
import { upNextKnown, upNextNow } from '../../listening/up-next.ts'
import { playerOf } from '../player/player.ts'
import type { Player } from '../player/player-state.ts'
import { playableOf } from '../player/recording-of.ts'
import { savedKnown, savedShelf } from '../saved/saved.ts'
import { playOnOf } from './play-on.ts'
import { playThrough } from './play-through.ts'

const study = (letter: string, id: number): Teaching =>
  aTeaching({ id, uid: letter, title: `Study ${letter}`, audioUrl: `/audio/${letter.repeat(64)}.mp3` })
const [a, b, c, d] = [study('a', 1), study('b', 2), study('c', 3), study('d', 4)]

let audio: SilentAudio
let player: Player

beforeEach(async () => {
  await Promise.all([savedKnown(), positionsKnown(), upNextKnown()])
  const { upNext, meta, positions, teachings } = appDatabase()
  await Promise.all([upNext.clear(), meta.clear(), positions.clear(), teachings.bulkPut([a, b, c, d])])
  await listed()
  toastStore.set(null)
  audio = new SilentAudio()
  player = playerOf(audio as unknown as HTMLAudioElement)
  playOnOf(player)
})
afterEach(() => {
  player.close()
  vi.unstubAllGlobals()
})

/** Waits until the page has the list of these uids. */
const listed = (...uids: string[]) =>
  vi.waitFor(() => expect(upNextNow()?.teachings.map(({ uid }) => uid)).toEqual(uids), { interval: 1 })
async function queue(...teachings: Teaching[]) {
  const uids = teachings.map(({ uid }) => uid)
  await writeUpNext({ type: 'addToEnd', uids })
  await listed(...uids)
}
/** Plays a teaching up to this second. */
function plays(teaching: Teaching, seconds = 100) {
  if (player.state().recording?.uid !== teaching.uid) player.toggle(playableOf(teaching)!)
  audio.starts(2530)
  audio.reaches(seconds)
}
function ends() {
  audio.currentTime = audio.duration
  audio.say('pause', 'ended')
}
const open = () => player.state().recording?.uid
const said = () => toastStore.snapshot()?.title

function offline(...saved: Teaching[]) {
  vi.stubGlobal('navigator', { ...navigator, onLine: false })
  areSaved(...saved)
}
const areSaved = (...saved: Teaching[]) =>
  savedShelf.set({
    ...savedShelf.snapshot(),
    byKey: new Map(
      saved.map(({ audioUrl }) => [audioKeyOf(audioUrl)!, { state: 'ready' } as unknown as SavedRecording]),
    ),
  })
afterEach(() => areSaved())

describe('plays nothing more', () => {
  test('rewinds at the end if Up next is empty', () => {
    plays(a)
    ends()
    expect(player.state()).toMatchObject({ status: 'paused', position: 0, recording: { uid: 'a' } })
    expect(said()).toBeUndefined()
  })

  test('offline without a saved teaching the list stays', async () => {
    await queue(b, c)
    offline()
    plays(a)
    ends()
    expect(open()).toBe('a')
    expect(said()).toBe('Up next waits: 2 teachings not saved on this device')
    await listed('b', 'c')
  })

  test('a sleep timer at the end stops before the list', async () => {
    await queue(b)
    plays(a)
    player.setSleep('end')
    ends()
    expect(player.state().status).toBe('closed')
    await listed('b')
  })

  test('a deleted teaching is not played from the list', async () => {
    await queue(b, c)
    await appDatabase().teachings.delete('b')
    await listed('c')
    plays(a)
    ends()
    expect(open()).toBe('c')
  })
})

describe('at the end of a teaching', () => {
  test('the last one leaves the list, however short', async () => {
    await queue(a)
    plays(a, 5)
    ends()
    await listed()
  })

  test('the next teaching stays listed until its position is saved', async () => {
    await queue(b, c)
    plays(a)
    ends()
    expect(player.state()).toMatchObject({ status: 'loading', recording: { uid: 'b' } })
    plays(b, 14)
    // Writes are reported in order, so the list would already be shorter.
    await writeUpNext({ type: 'addToEnd', uids: ['d'] })
    await listed('b', 'c', 'd')
    audio.reaches(15)
    await listed('c', 'd')
  })

  test('offline, unsaved teachings are skipped and stay listed', async () => {
    await queue(b, c, d)
    offline(d)
    plays(a)
    ends()
    expect(open()).toBe('d')
    expect(said()).toBe('2 skipped: not saved on this device')
    plays(d)
    await listed('b', 'c')
  })

  test('the sleep timer continues with the next teaching', async () => {
    await queue(b)
    plays(a)
    player.setSleep(15)
    const until = player.state().sleep
    ends()
    expect(Math.abs((player.state().sleep as number) - (until as number))).toBeLessThan(1000)
  })
})

test('unreachable teachings are skipped and stay listed', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('unreachable')))
  await queue(b, c, d)
  areSaved(d)
  plays(a)
  ends()
  expect(open()).toBe('b')
  audio.error = { code: 2 }
  audio.say('error')
  await vi.waitFor(() => expect(open()).toBe('d'))
  expect(said()).toBe('2 skipped: not saved on this device')
  await listed('b', 'c', 'd')
})

test('an unreachable teaching with a position stays listed', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('unreachable')))
  await queue(b, c)
  areSaved(c)
  plays(b, 600)
  await listed('c')
  plays(a)
  await writeUpNext({ type: 'playNext', uids: ['b'] })
  await listed('b', 'c')
  ends()
  expect(player.state()).toMatchObject({ recording: { uid: 'b' }, position: 600 })
  audio.error = { code: 2 }
  audio.say('error')
  await vi.waitFor(() => expect(open()).toBe('c'))
  await writeUpNext({ type: 'addToEnd', uids: ['d'] })
  await listed('b', 'c', 'd')
})

test('a teaching lost on the server leaves the list', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 404 })))
  await queue(b, c)
  plays(a)
  ends()
  audio.error = { code: 4 }
  audio.say('error')
  await vi.waitFor(() => expect(open()).toBe('c'))
  expect(said()).toBe('Skipped, as it cannot be played: Study b')
  await listed('c')
})

describe('previous', () => {
  test('previous restarts the teaching after three seconds', async () => {
    await queue(b)
    plays(a)
    ends()
    plays(b, 4)
    playOnOf(player).previous()
    expect(player.state()).toMatchObject({ recording: { uid: 'b' }, position: 0 })
  })

  test('previous within three seconds plays the one before', async () => {
    await queue(b, c)
    plays(a)
    ends()
    await vi.waitFor(() => expect(upNextNow()?.playedBefore.map(({ uid }) => uid)).toEqual(['a']))
    plays(b, 2)
    playOnOf(player).previous()
    expect(open()).toBe('a')
    await listed('b', 'c')
    await vi.waitFor(() => expect(upNextNow()?.playedBefore).toEqual([]))
  })
})

test('sets lock screen keys only with a neighbour to play', async () => {
  const keys: Record<string, (() => void) | null> = {}
  const mediaSession = {
    setActionHandler: (action: string, handler: (() => void) | null) => (keys[action] = handler),
  }
  const offered = () => ['nexttrack', 'previoustrack'].map((action) => typeof keys[action] === 'function')
  vi.stubGlobal('navigator', { ...navigator, onLine: true, mediaSession })
  plays(a)
  expect(offered()).toEqual([false, false])
  await queue(b)
  expect(offered()).toEqual([true, true])
  keys['nexttrack']!()
  expect(open()).toBe('b')
  player.close()
  expect(offered()).toEqual([false, false])
})

test('playThrough puts the rest before the existing list', async () => {
  await queue(d)
  playThrough(player, [a, b, c], 'b')
  expect(open()).toBe('b')
  await listed('c', 'd')
  expect((await readUpNext()).teachings.map(({ uid }) => uid)).toEqual(['c', 'd'])
})

describe('through what belongs together', () => {
  test('offline without a saved teaching shows a toast', async () => {
    offline(d)
    playThrough(player, [a, b, c], 'a')
    expect(open()).toBeUndefined()
    expect(said()).toBe('Nothing of it is saved on this device')
    expect((await readUpNext()).teachings).toEqual([])
  })

  test('shows how many have no room in the list', async () => {
    await writeUpNext({ type: 'addToEnd', uids: Array.from({ length: 499 }, (_, at) => `other-${at}`) })
    playThrough(player, [a, b, c, d], 'a')
    await listed('b')
    await vi.waitFor(() => expect(said()).toBe('Up next is full'))
    expect(toastStore.snapshot()?.description).toBe('It holds 500 teachings: 2 of these had no room.')
  })

  test('offline begins with the first saved teaching', async () => {
    offline(b, d)
    playThrough(player, [a, b, c, d], 'a')
    expect(open()).toBe('b')
    expect(said()).toBe('1 skipped: not saved on this device')
    await listed('c', 'd')
  })

  test('offline waits until the saved recordings are read', async () => {
    offline()
    savedShelf.set({ ...savedShelf.snapshot(), status: 'unknown' })
    playThrough(player, [a, b], 'a')
    expect(said()).toBeUndefined()
    savedShelf.set({ ...savedShelf.snapshot(), status: 'known' })
    areSaved(b)
    await vi.waitFor(() => expect(open()).toBe('b'))
    expect(said()).toBe('1 skipped: not saved on this device')
  })

  test('skips the first teaching on a 404', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 404 })))
    playThrough(player, [a, b, c], 'a')
    await listed('b', 'c')
    audio.error = { code: 4 }
    audio.say('error')
    await vi.waitFor(() => expect(open()).toBe('b'))
    expect(said()).toBe('Skipped, as it cannot be played: Study a')
  })

  test('continues the teaching that is already open', async () => {
    plays(a, 60)
    playThrough(player, [a, b], 'a')
    expect(player.state()).toMatchObject({ status: 'playing', recording: { uid: 'a' }, position: 60 })
    await listed('b')
  })
})

test('only the removal of the open teaching is told', async () => {
  const { teachings } = appDatabase()
  const watched = vi.spyOn(teachings, 'get')
  plays(a)
  plays(b)
  await vi.waitFor(() => expect(watched).toHaveBeenCalledWith('b'))
  await teachings.delete('a')
  await new Promise((done) => setTimeout(done, 50))
  expect(said()).toBeUndefined()
})

test('a teaching that is removed while it plays goes on', async () => {
  plays(a)
  const { teachings } = appDatabase()
  await vi.waitFor(async () => {
    await teachings.put(a)
    await new Promise((done) => setTimeout(done, 20))
    await teachings.delete('a')
    await new Promise((done) => setTimeout(done, 20))
    expect(said()).toBe('Removed from the library')
  })
  expect(player.state()).toMatchObject({ status: 'playing', recording: { uid: 'a' } })
})
