import { secondsOf } from '../../lib/clock-time.ts'

/** What the player needs to know of a teaching. */
export interface Recording {
  uid: string
  title: string
  audioUrl: string
  /** 'm:ss' as the library knows it, until the file itself tells. */
  duration: string | null
}

export type PlayerStatus = 'closed' | 'loading' | 'playing' | 'paused' | 'failed'

export interface PlayerState {
  status: PlayerStatus
  recording: Recording | null
  /** Seconds. */
  position: number
  /** Seconds, null while unknown. */
  duration: number | null
  speed: number
}

export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2] as const
export const skipBackSeconds = 15
export const skipForwardSeconds = 30

export interface Player {
  subscribe: (listener: () => void) => () => void
  state: () => PlayerState
  /** SPEC §4: opens and plays; the open one is paused and closed; another one closes the first. */
  toggle: (recording: Recording) => void
  close: () => void
  play: () => void
  pause: () => void
  seek: (seconds: number) => void
  skip: (seconds: number) => void
  setSpeed: (speed: number) => void
}

const players = new WeakMap<HTMLAudioElement, Player>()

/** The player of an element; always the same one. */
export function playerOf(audio: HTMLAudioElement): Player {
  const known = players.get(audio)
  if (known) return known
  const made = makePlayer(audio)
  players.set(audio, made)
  return made
}

const closed: PlayerState = { status: 'closed', recording: null, position: 0, duration: null, speed: 1 }

function makePlayer(audio: HTMLAudioElement): Player {
  let state = closed
  const listeners = new Set<() => void>()
  /** Where each recording was left, for as long as the site is open. */
  const left = new Map<string, number>()

  const set = (change: Partial<PlayerState>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const on = (names: string, handle: () => void) => {
    for (const name of names.split(' ')) {
      audio.addEventListener(name, () => state.status !== 'closed' && handle())
    }
  }

  on('playing', () => set({ status: 'playing' }))
  on('waiting', () => set({ status: 'loading' }))
  on('pause', () => state.status !== 'failed' && set({ status: 'paused' }))
  on('timeupdate seeked', () => set({ position: audio.currentTime }))
  on(
    'loadedmetadata durationchange',
    () => Number.isFinite(audio.duration) && set({ duration: audio.duration }),
  )
  on('loadedmetadata', () => {
    const position = (state.recording && left.get(state.recording.uid)) ?? 0
    if (position > 0 && position < audio.duration - 1) audio.currentTime = position
  })
  on('ended', () => {
    set({ status: 'paused', position: 0 })
    audio.currentTime = 0
  })
  on('error', () => set({ status: 'failed' }))

  const play = () => {
    if (!state.recording) return
    if (state.status === 'failed') {
      left.set(state.recording.uid, state.position)
      audio.load()
    }
    set({ status: 'loading' })
    // A refused start (no tap yet, or another source meanwhile) is not a broken recording: that one has an event.
    audio
      .play()
      .catch(() => state.status === 'loading' && audio.paused && !audio.error && set({ status: 'paused' }))
  }

  const close = () => {
    if (!state.recording) return
    left.set(state.recording.uid, state.position)
    set({ ...closed, speed: state.speed })
    audio.pause()
  }

  const seek = (seconds: number) => {
    const position = Math.min(Math.max(0, seconds), state.duration ?? seconds)
    set({ position })
    if (state.recording) left.set(state.recording.uid, position)
    if (audio.readyState > 0) audio.currentTime = position
  }

  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    state: () => state,
    toggle: (recording) => {
      const wasOpen = state.recording?.uid === recording.uid
      close()
      if (wasOpen) return
      audio.src = recording.audioUrl
      audio.defaultPlaybackRate = state.speed
      audio.playbackRate = state.speed
      const position = left.get(recording.uid) ?? 0
      set({ status: 'loading', recording, position, duration: secondsOf(recording.duration) })
      play()
    },
    close,
    play,
    pause: () => audio.pause(),
    seek,
    skip: (seconds) => seek(state.position + seconds),
    setSpeed: (speed) => {
      audio.defaultPlaybackRate = speed
      audio.playbackRate = speed
      set({ speed })
    },
  }
}
