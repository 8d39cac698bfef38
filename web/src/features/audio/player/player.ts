import { leastSeconds, resumeAt } from '@fellowship/schema/listening/listening-position'
import { holdPage } from '../../../lib/busy.ts'
import { secondsOf } from '../../../lib/clock-time.ts'
import { connectMediaSession } from './media-session.ts'
import { judgeFailure, whenServerAnswers } from './playback-failure.ts'
import {
  closedPlayer,
  isSounding,
  longJumpSeconds,
  noteEveryMs,
  type Player,
  type PlayerState,
  type Recording,
} from './player-state.ts'
import { note, positionsKnown, positionsNow } from '../../listening/positions.ts'
import { savedKnown, savedShelf } from '../saved/saved.ts'
import { blobAddress, chooseSource, workerAddress, type SoundSource } from './sound-source.ts'
import { rememberSpeed, speedOf } from './speeds.ts'

const players = new WeakMap<HTMLAudioElement, Player>()

/** The player of an element; always the same one. */
export function playerOf(audio: HTMLAudioElement): Player {
  const known = players.get(audio)
  if (known) return known
  const made = makePlayer(audio)
  players.set(audio, made)
  return made
}

function makePlayer(audio: HTMLAudioElement): Player {
  let state = closedPlayer
  const listeners = new Set<() => void>()
  /** One load of the element: what came of an earlier one is no longer of interest. */
  let load = { at: 0, source: 'network' as SoundSource, failed: [] as SoundSource[], sounded: false }
  let blobUrl: string | undefined
  let release: (() => void) | undefined
  let stopWaiting = () => {}
  let notedAt = 0
  let sleepTimer: ReturnType<typeof setTimeout> | undefined
  /** Somebody paused it, or it fell asleep: what goes on by itself later goes on without a sound. */
  let silenced = false
  /** Where each recording was left on this page and when, ahead of what the database tells. */
  const left = new Map<string, { seconds: number; at: number }>()

  const set = (change: Partial<PlayerState>) => {
    state = { ...state, ...change }
    if (isSounding(state.status)) release ??= holdPage()
    else {
      release?.()
      release = undefined
    }
    for (const listener of listeners) listener()
  }
  const on = (names: string, handle: () => void) => {
    for (const name of names.split(' ')) {
      audio.addEventListener(name, () => state.status !== 'closed' && handle())
    }
  }

  const notePosition = (startedAgain = false) => {
    const { recording, position, duration } = state
    // A player that has not played yet knows nothing of what a person heard.
    if (!recording || duration === null || !(load.sounded || startedAgain)) return
    notedAt = Date.now()
    note(recording.uid, { seconds: position, duration, at: notedAt, startedAgain })
  }

  async function begin(recording: Recording, from: number, failed: SoundSource[] = [], play = true) {
    stopWaiting()
    silenced = !play
    const source = chooseSource(recording.audioUrl, failed)
    const mine = { at: from, source, failed, sounded: false }
    load = mine
    set({
      status: play ? 'loading' : 'paused',
      failure: null,
      position: from,
      saved: source !== 'network',
    })
    const address =
      source === 'network'
        ? recording.audioUrl
        : source === 'worker'
          ? workerAddress(recording.audioUrl)
          : await blobAddress(recording.audioUrl).catch(() => undefined)
    if (load !== mine) return
    if (address === undefined) return void begin(recording, from, [...failed, 'blob'], play)
    if (blobUrl) URL.revokeObjectURL(blobUrl)
    blobUrl = source === 'blob' ? address : undefined
    audio.src = address
    audio.defaultPlaybackRate = state.speed
    audio.playbackRate = state.speed
    // Kept by the element until it knows enough to begin there.
    if (from > 0) audio.currentTime = from
    // Paused while its bytes were read: the element, which had nothing to pause, does not say so.
    if (play && !silenced) start()
    else set({ status: 'paused' })
    if (source !== 'network') {
      // A device without room to note it plays all the same.
      void import('../saved/saved-device.ts')
        .then((device) => device.notePlayedNow(recording.audioUrl))
        .catch(() => undefined)
    }
  }

  function start() {
    silenced = false
    set({ status: 'loading' })
    // A refused start (no tap yet, or another source meanwhile) is not a broken recording: that one has an event.
    audio
      .play()
      .catch(() => state.status === 'loading' && audio.paused && !audio.error && set({ status: 'paused' }))
  }

  /** Goes on from the device where the line gives nothing more and the recording was saved since it was opened. */
  function playSaved(play = true): boolean {
    const { recording, position } = state
    if (!recording || load.source !== 'network') return false
    if (chooseSource(recording.audioUrl, load.failed) === 'network') return false
    void begin(recording, position, load.failed, play)
    return true
  }

  async function failed() {
    const { recording, position } = state
    const mine = load
    if (!recording || audio.error === null) return
    const wasSounding = isSounding(state.status)
    if (mine.source !== 'network') {
      // Perhaps the device took bytes away: then the row says so, and the network has them.
      await import('../saved/saved-device.ts').then((device) => device.findMissing()).catch(() => [])
      if (load === mine)
        void begin(recording, position, [...mine.failed, mine.source], wasSounding && !silenced)
      return
    }
    if (playSaved(wasSounding)) return
    set({ status: 'loading' })
    const failure = await judgeFailure(recording.audioUrl)
    if (load !== mine) return
    set({ status: 'failed', failure })
    if (failure !== 'no line') return
    const again = () => void begin(recording, state.position, [], wasSounding && !silenced)
    const stopAsking = whenServerAnswers(recording.audioUrl, again)
    const stopWatching = savedShelf.subscribe(() => chooseSource(recording.audioUrl) !== 'network' && again())
    stopWaiting = () => {
      stopAsking()
      stopWatching()
      stopWaiting = () => {}
    }
  }

  on('playing', () => {
    load.sounded = true
    set({ status: 'playing' })
  })
  on('waiting', () => {
    set({ status: 'loading' })
    playSaved()
  })
  on('pause', () => {
    if (state.status === 'failed' || audio.error) return
    set({ status: 'paused' })
    notePosition()
  })
  on('timeupdate seeked', () => {
    if (audio.readyState === 0 || audio.error) return
    set({ position: audio.currentTime })
    if (!audio.paused && Date.now() - notedAt >= noteEveryMs) notePosition()
    if (typeof state.sleep === 'number' && Date.now() >= state.sleep) fallAsleep()
  })
  on(
    'loadedmetadata durationchange',
    () => Number.isFinite(audio.duration) && set({ duration: audio.duration }),
  )
  on('loadedmetadata', () => {
    if (load.at < audio.duration - 1 && Math.abs(audio.currentTime - load.at) > 1) audio.currentTime = load.at
  })
  on('ended', () => {
    const { recording, sleep } = state
    notePosition()
    if (recording) left.delete(recording.uid)
    if (sleep === 'end') return close()
    load.sounded = false
    set({ status: 'paused', position: 0, resumedAt: null, jumpedFrom: null })
    audio.currentTime = 0
  })
  on('error', () => void failed())
  // It stalls for want of a line, and the last of it has just been saved.
  savedShelf.subscribe(() => load.sounded && state.status === 'loading' && playSaved())
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && notePosition())
  window.addEventListener('pagehide', () => notePosition())

  const play = () => {
    if (!state.recording) return
    if (state.status === 'failed') void begin(state.recording, state.position)
    else start()
  }

  const pause = () => {
    silenced = true
    audio.pause()
  }

  const rememberPlace = (uid: string, seconds: number) => void left.set(uid, { seconds, at: Date.now() })

  const close = () => {
    if (!state.recording) return
    notePosition()
    if (state.status !== 'paused' || state.position > 0) rememberPlace(state.recording.uid, state.position)
    stopWaiting()
    clearTimeout(sleepTimer)
    load = { ...load, source: 'network', sounded: false }
    set({ ...closedPlayer, speed: state.speed })
    audio.pause()
    // With a source left to it, the browser would play on at a key of the headset, and nobody would know of it here.
    audio.removeAttribute('src')
    audio.load()
    if (blobUrl) URL.revokeObjectURL(blobUrl)
    blobUrl = undefined
  }

  const seek = (seconds: number) => {
    const position = Math.min(Math.max(0, seconds), state.duration ?? seconds)
    if (Math.abs(position - state.position) > longJumpSeconds)
      set({ jumpedFrom: state.position, resumedAt: null })
    set({ position })
    load.at = position
    if (audio.readyState > 0) audio.currentTime = position
    notePosition()
  }

  const fallAsleep = () => {
    clearTimeout(sleepTimer)
    set({ sleep: null })
    pause()
  }

  /** Where it was left: on this page, or as the device remembers, where another tab went on since. */
  const placeOf = ({ uid }: Recording): number => {
    const here = left.get(uid)
    const saved = positionsNow()?.get(uid)
    return here && here.at >= (saved?.listenedAt ?? 0) ? here.seconds : resumeAt(saved)
  }

  const open = (recording: Recording) => {
    const at = placeOf(recording)
    set({ position: at, resumedAt: at >= leastSeconds ? at : null })
    void begin(recording, at)
  }

  const player: Player = {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    state: () => state,
    toggle: (recording) => {
      const wasOpen = state.recording?.uid === recording.uid
      close()
      if (wasOpen) return
      const speed = speedOf(recording.speaker)
      set({ ...closedPlayer, status: 'loading', recording, speed, duration: secondsOf(recording.duration) })
      // Known from earlier: a phone plays only in the very moment of the tap.
      if (savedShelf.snapshot().status !== 'unknown' && positionsNow()) return open(recording)
      const known = Promise.all([savedKnown(), positionsKnown()])
      void Promise.race([known, new Promise((resolve) => setTimeout(resolve, knownWithinMs))]).then(() => {
        if (state.recording === recording && state.status === 'loading') open(recording)
      })
    },
    playFrom: (recording, seconds) => {
      close()
      rememberPlace(recording.uid, seconds)
      player.toggle(recording)
    },
    close,
    play,
    pause,
    seek,
    skip: (seconds) => seek(state.position + seconds),
    startAgain: () => {
      seek(0)
      set({ resumedAt: null, jumpedFrom: null })
      notePosition(true)
      play()
    },
    setSpeed: (speed) => {
      audio.defaultPlaybackRate = speed
      audio.playbackRate = speed
      if (state.recording) rememberSpeed(state.recording.speaker, speed)
      set({ speed })
    },
    setSleep: (after) => {
      clearTimeout(sleepTimer)
      if (typeof after !== 'number') return set({ sleep: after })
      const until = Date.now() + after * 60_000
      // Timers of a page in the background are late; the player's own clock looks, too.
      sleepTimer = setTimeout(fallAsleep, until - Date.now())
      set({ sleep: until })
    },
  }
  connectMediaSession(player, audio)
  return player
}

/** A device whose database hangs must not keep a recording from being played. */
const knownWithinMs = 2_000
