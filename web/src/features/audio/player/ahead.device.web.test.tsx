import { BroadcastChannel } from 'node:worker_threads'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { audioDatabase } from '@fellowship/sync/client/database/audio-database'
import { chunkBytes } from '@fellowship/sync/client/database/stored-files'
import { handOverChannel, openTabChannel } from '@fellowship/sync/client/engine/tab-channel'
import { writeUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { audioKept, storePlayed } from '@fellowship/sync/client/worker-messages'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chooseComfort } from '../../../lib/comfort.ts'
import { SilentAudio } from '../../../testing/silent-audio.ts'
import { positionsKnown } from '../../listening/positions.ts'
import { upNextKnown, upNextNow } from '../../listening/up-next.ts'
import { savedKnown, savedShelf } from '../saved/saved.ts'
import { heldState, holdWhilePlaying } from './ahead.device.ts'
import { playerOf } from './player.ts'
import type { Player } from './player-state.ts'
import { playableOf } from './recording-of.ts'

const study = (letter: string, id: number) =>
  aTeaching({
    id,
    uid: letter,
    audioUrl: `/audio/${letter.repeat(64)}.mp3`,
    audioBytes: 4 * chunkBytes,
    duration: '40:00',
  })
const [a, b] = [study('a', 1), study('b', 2)]
const [keyOfA, keyOfB] = ['a'.repeat(64), 'b'.repeat(64)]

const db = audioDatabase()
/** The worker, which serves stored bytes and fetches the rest; happy-dom has none. */
const worker = Object.assign(new EventTarget(), { controller: { postMessage: vi.fn() } })
let audio: SilentAudio
let player: Player

beforeEach(async () => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  // happy-dom has none.
  vi.stubGlobal('BroadcastChannel', BroadcastChannel)
  Object.defineProperty(navigator, 'serviceWorker', { value: worker, configurable: true })
  worker.controller.postMessage.mockClear()
  await Promise.all([savedKnown(), positionsKnown(), upNextKnown()])
  const { upNext, teachings, positions } = appDatabase()
  await Promise.all([upNext.clear(), positions.clear(), teachings.bulkPut([a, b])])
  await Promise.all([db.recordings.clear(), db.chunks.clear()])
  // Both follow the database: a player would hold the next recording of a list that is gone.
  await vi.waitFor(() => expect([savedShelf.snapshot().byKey.size, upNextNow()?.teachings]).toEqual([0, []]))
  heldState.set({ minutes: 0, isWhole: false })
  audio = new SilentAudio()
  player = playerOf(audio as unknown as HTMLAudioElement)
  holdWhilePlaying(player, audio as unknown as HTMLAudioElement)
})
afterEach(() => {
  player.close()
  chooseComfort({ ahead: undefined })
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'serviceWorker')
})
const held = async () => (await db.recordings.toArray()).map(({ key }) => key)
const plays = () => {
  player.toggle(playableOf(a)!)
  audio.starts(2400)
}
const put = (index: number) => db.chunks.put({ key: keyOfA, index, data: new ArrayBuffer(chunkBytes) })
const keeps = () => worker.dispatchEvent(new MessageEvent('message', { data: { type: audioKept } }))
const minutes = () => heldState.snapshot().minutes

test('nothing is held if the person chose so', async () => {
  chooseComfort({ ahead: 'off' })
  plays()
  await new Promise((done) => setTimeout(done, 30))
  expect(await held()).toEqual([])
})

test('the open recording is held, and the worker stores it', async () => {
  plays()
  await vi.waitFor(async () => expect(await held()).toEqual([keyOfA]))
  expect(worker.controller.postMessage).toHaveBeenCalledWith({ type: storePlayed, key: keyOfA })
})

test('the next recording of Up next is held too', async () => {
  plays()
  await vi.waitFor(async () => expect(await held()).toEqual([keyOfA]))
  await writeUpNext({ type: 'addToEnd', uids: ['b'] })
  await vi.waitFor(async () => expect((await held()).sort()).toEqual([keyOfA, keyOfB]))
})

test('the next recording is held too if it was in Up next before', async () => {
  await writeUpNext({ type: 'addToEnd', uids: ['b'] })
  await vi.waitFor(() => expect(upNextNow()?.teachings).toHaveLength(1))
  plays()
  await vi.waitFor(async () => expect((await held()).sort()).toEqual([keyOfA, keyOfB]))
})

test('counts the minutes behind the position, at its speed', async () => {
  plays()
  await vi.waitFor(async () => expect(await held()).toEqual([keyOfA]))
  await put(0)
  await put(1)
  keeps()
  await vi.waitFor(() => expect(minutes()).toBe(20))
  player.setSpeed(2)
  keeps()
  await vi.waitFor(() => expect(minutes()).toBe(10))
  // A message of another kind measures nothing.
  await put(2)
  worker.dispatchEvent(new MessageEvent('message', { data: null }))
  audio.currentTime = 600
  audio.say('timeupdate', 'seeked')
  await vi.waitFor(() => expect(minutes()).toBe(10))
  player.close()
  audio.say('seeked')
  keeps()
  await vi.waitFor(() => expect(heldState.snapshot()).toEqual({ minutes: 0, isWhole: false }))
})

test('a seek beyond the held bytes holds from there', async () => {
  plays()
  await vi.waitFor(async () => expect(await held()).toEqual([keyOfA]))
  audio.currentTime = 1800
  audio.say('timeupdate', 'seeked')
  await vi.waitFor(async () => expect((await db.recordings.get(keyOfA))?.ahead?.from).toBe(3))
})

test.each([
  ['one that plays', true, false],
  ['a paused one', false, false],
  ['one that is paused meanwhile', true, true],
] as const)('an update ends the request of %s', async (_, sounds, isPaused) => {
  plays()
  audio.currentTime = 600
  audio.say('timeupdate')
  if (!sounds) player.pause()
  audio.play.mockClear()
  // As in browsers, it is paused then without an event.
  const load = vi.spyOn(audio, 'load').mockImplementation(() => void (audio.paused = true))
  openTabChannel(handOverChannel)?.postMessage('')
  await vi.waitFor(() => expect(load).toHaveBeenCalled())
  expect(audio.play, 'before the new worker is there').not.toHaveBeenCalled()
  if (isPaused) player.pause()
  expect(player.state().status).toBe(sounds && !isPaused ? 'playing' : 'paused')
  worker.dispatchEvent(new Event('controllerchange'))
  await new Promise((done) => setTimeout(done))
  expect(audio.play).toHaveBeenCalledTimes(sounds && !isPaused ? 1 : 0)
  audio.currentTime = 0
  audio.starts(2400)
  expect(audio.currentTime).toBe(600)
})
