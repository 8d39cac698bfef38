/** What the player needs to know of a teaching. */
export interface Recording {
  uid: string
  title: string
  speaker: string
  audioUrl: string
  /** 'm:ss' as the library knows it, until the file itself tells. */
  duration: string | null
  /** What it weighs. */
  bytes?: number | null
}

export type PlayerStatus = 'closed' | 'loading' | 'playing' | 'paused' | 'failed'

/**
 * Why it does not play. no line: the server cannot be reached, it goes on by itself when it can · refused: the
 * server does not have it · unplayable: the bytes are there, and this browser cannot play them
 */
export type Failure = 'no line' | 'refused' | 'unplayable'

/** A moment of epoch milliseconds at which to stop, or the end of the teaching. */
type SleepTimer = number | 'end'

export interface PlayerState {
  status: PlayerStatus
  recording: Recording | null
  /** Seconds. */
  position: number
  /** Seconds, null while unknown. */
  duration: number | null
  speed: number
  /** Whether the sound comes from this device. */
  saved: boolean
  failure: Failure | null
  /** It went on at this second, where it was left: the person may want the beginning. */
  resumedAt: number | null
  /** A long jump began at this second: it may have been a slip of the finger. */
  jumpedFrom: number | null
  sleep: SleepTimer | null
}

export const closedPlayer: PlayerState = {
  status: 'closed',
  recording: null,
  position: 0,
  duration: null,
  speed: 1,
  saved: false,
  failure: null,
  resumedAt: null,
  jumpedFrom: null,
  sleep: null,
}

export const skipBackSeconds = 15
export const skipForwardSeconds = 30
/** The position is written down this often while it plays, and whenever it stops or the page goes away. */
export const noteEveryMs = 5_000
/** A jump over more than this can be taken back. */
export const longJumpSeconds = 60

export interface Player {
  subscribe: (listener: () => void) => () => void
  state: () => PlayerState
  /** Opens and plays a recording, closing any other; pauses and closes it if it is open. */
  toggle: (recording: Recording) => void
  /** Plays from this second, whatever is open and wherever it was left. */
  playFrom: (recording: Recording, seconds: number) => void
  close: () => void
  play: () => void
  pause: () => void
  seek: (seconds: number) => void
  skip: (seconds: number) => void
  /** From the beginning, and the place where it was left is given up. */
  startAgain: () => void
  setSpeed: (speed: number) => void
  /** Stops after so many minutes, at the end of the teaching, or not at all. */
  setSleep: (after: number | 'end' | null) => void
}

export const isSounding = (status: PlayerStatus | null): boolean =>
  status === 'playing' || status === 'loading'
