import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { bytesAhead, holdAhead } from '@fellowship/sync/client/saved-audio/ahead-store'
import { audioDownloads } from '@fellowship/sync/client/saved-audio/audio-downloads'
import { handOverChannel, openTabChannel } from '@fellowship/sync/client/engine/tab-channel'
import { holdPlayed, reportStall } from '@fellowship/sync/client/saved-audio/audio-line'
import { audioKeyOf, type SavableTeaching } from '@fellowship/sync/client/saved-audio/audio-store'
import { audioKept, storePlayed } from '@fellowship/sync/client/worker-messages'
import { fetchesAhead } from '../data-choices.ts'
import { listen } from '../../../lib/listen.ts'
import { makeStore } from '../../../lib/lazy-store.ts'
import { onUpNext, upNextNow } from '../../listening/up-next.ts'
import { recordingAt, chosenRecording } from '../recording-choice.ts'
import { savedShelf, wholeOf } from '../saved/saved.ts'
import { isSounding, type Player, type PlayerState } from './player-state.ts'

/** How far the open recording plays without signal. */
export interface HeldState {
  /** Whole minutes at the present speed. */
  minutes: number
  isWhole: boolean
}

export const heldState = makeStore<HeldState>({ minutes: 0, isWhole: false })

const connected = new WeakSet<Player>()

/**
 * Holds the rest of the recording that plays, and the next one of Up next, on this device: while they are open here, the
 * downloads fetch them. Connects a player once.
 */
export function holdWhilePlaying(player: Player, audio: HTMLAudioElement): void {
  if (connected.has(player)) return
  connected.add(player)
  let openKey: string | undefined
  let nextKey: string | undefined
  let end: () => void = () => undefined

  const hold = (keys: readonly string[]) => {
    // The new ones first, so that no download of theirs is taken for unwanted in between.
    const before = end
    end = holdPlayed(keys)
    before()
  }
  const follow = () => {
    const { recording, status } = player.state()
    // Beside another source, every byte would be fetched twice.
    const isServed = status !== 'closed' && fetchesAhead() && audio.src.includes(offlinePath)
    const key = isServed ? audioKeyOf(recording?.audioUrl ?? null) : undefined
    if (key === openKey) return
    openKey = key
    nextKey = undefined
    hold(key ? [key] : [])
    if (key) void holdOpen().catch(ignored)
    void measure()
  }
  const holdOpen = async () => {
    const state = player.state()
    const teaching = await recordingOf(state)
    const key = openKey
    if (!teaching || !key || audioKeyOf(teaching.audioUrl) !== key) return
    audioDownloads()
    const owner = await appDatabase().signedInUser()
    const at = byteAt(state, teaching.audioBytes ?? 0)
    await holdAhead(teaching, { now: Date.now(), owner, at, sparing: [key], isPlayed: true })
    // The worker may have chunks of it from before it had a row.
    navigator.serviceWorker?.controller?.postMessage({ type: storePlayed, key })
    await holdNext(key, owner)
  }
  const holdNext = async (key: string, owner: number | undefined) => {
    const next = upNextNow()?.teachings.find(({ uid }) => uid !== player.state().recording?.uid)
    const recording = next && chosenRecording(next)
    const wanted = audioKeyOf(recording?.audioUrl ?? null)
    if (!recording || !wanted || wanted === nextKey || key !== openKey) return
    nextKey = wanted
    hold([key, wanted])
    await holdAhead(recording, { now: Date.now(), owner, sparing: [key] })
  }
  const measure = async () => {
    const state = player.state()
    const { recording, duration, speed } = state
    const key = audioKeyOf(recording?.audioUrl ?? null)
    const size = recording?.bytes
    if (!recording || !key || !size || !duration) return heldState.set({ minutes: 0, isWhole: false })
    const isWhole = wholeOf(recording.audioUrl) !== undefined
    const bytes = isWhole ? 0 : await bytesAhead(key, { at: byteAt(state, size), size }).catch(() => 0)
    heldState.set({ minutes: Math.floor(((bytes / size) * duration) / speed / 60), isWhole })
  }

  let measuredAt = 0
  player.subscribe(follow)
  savedShelf.subscribe(() => void measure())
  onUpNext(
    () =>
      openKey &&
      void appDatabase()
        .signedInUser()
        .then((owner) => holdNext(openKey!, owner))
        .catch(ignored),
  )
  audio.addEventListener('waiting', () => player.state().position > 0 && openKey && reportStall())
  audio.addEventListener('seeked', () => void afterSeek().catch(ignored))
  audio.addEventListener('timeupdate', () => {
    if (document.visibilityState === 'hidden' || performance.now() - measuredAt < measureEveryMs) return
    measuredAt = performance.now()
    void measure()
  })
  if (navigator.serviceWorker)
    listen(navigator.serviceWorker, ['message'], ({ data }: MessageEvent<{ type?: unknown } | null>) => {
      if (data?.type === audioKept) void measure()
    })
  // An update waits until no player reads from the worker.
  openTabChannel(handOverChannel)?.addEventListener(
    'message',
    () => audio.src.includes(offlinePath) && void changeWorkers(player, audio),
  )
  follow()

  /** Fetches from there on, unless the bytes are here. */
  async function afterSeek(): Promise<void> {
    const state = player.state()
    const size = state.recording?.bytes ?? 0
    if (!openKey || wholeOf(state.recording?.audioUrl ?? null)) return
    const here = await bytesAhead(openKey, { at: byteAt(state, size), size })
    if (here === 0) await holdOpen()
    await measure()
  }
}

/**
 * Ends the element's request, and goes on at the same second when the new worker is there. Any request before would start
 * the old one again, after which Chromium waits until it has been idle for half a minute.
 */
async function changeWorkers(player: Player, audio: HTMLAudioElement): Promise<void> {
  const { position, status } = player.state()
  audio.load()
  // Now without metadata, it goes there when they have arrived.
  player.seek(position)
  if (!isSounding(status)) return
  await new Promise((resolve) => {
    listen(navigator.serviceWorker, ['controllerchange'], resolve, { once: true })
    setTimeout(resolve, changesWithinMs)
  })
  const isWanted = isSounding(player.state().status)
  if (isWanted && audio.src.includes(offlinePath)) await audio.play().catch(ignored)
}

const changesWithinMs = 1_500

const offlinePath = '/offline-audio/'
const measureEveryMs = 10_000

/** Without room, or without a database, it plays from the network. */
const ignored = () => undefined

/** Roughly: a recording of constant rate. */
const byteAt = ({ position, duration }: PlayerState, size: number): number =>
  duration ? Math.min(Math.floor((position / duration) * size), Math.max(0, size - 1)) : 0

/** The open recording as it is held, by its row in the library of this device. */
async function recordingOf({ recording }: PlayerState): Promise<SavableTeaching | undefined> {
  if (!recording) return undefined
  const teaching: ListedTeaching | undefined = await appDatabase().teachings.get(recording.uid)
  return teaching && recordingAt(teaching, recording.audioUrl)
}
