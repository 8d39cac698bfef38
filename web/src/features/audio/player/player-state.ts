/** A teaching's audio, as the player needs it. */
export interface Playable {
  uid: string
  title: string
  speaker: string
  audioUrl: string
  /** The counted length from the library, 'm:ss'; null if the library has none, then the file's metadata are used. */
  duration: string | null
  bytes?: number | null
  /** The element's volume, 0 to 1, at which all teachings are equally loud; 1 if the loudness is unknown. */
  volume?: number
  /** The address of its waveform and silences; undefined if it was not measured. */
  soundUrl?: string | undefined
}

export type PlayerStatus = 'closed' | 'loading' | 'playing' | 'paused' | 'failed'

/**
 * Why it does not play. unreachable: no answer from the server, retried automatically · refused: the
 * server does not have it · unplayable: the bytes are there, and this browser cannot play them
 */
export type Failure = 'unreachable' | 'refused' | 'unplayable'

/** When to stop, in epoch milliseconds, or at the end of the teaching. */
type SleepTimer = number | 'end'

export interface PlayerState {
  status: PlayerStatus
  recording: Playable | null
  /** Seconds. */
  position: number
  /** Seconds, null while unknown. */
  duration: number | null
  speed: number
  /** Whether it plays from the saved copy. */
  saved: boolean
  failure: Failure | null
  /** The second at which it resumed, if the user may want the beginning instead. */
  resumedAt: number | null
  /** The second from which the user made a long jump, in case it was a mistake. */
  jumpedFrom: number | null
  sleep: SleepTimer | null
  /** It has played to its end, and nothing has begun since. */
  hasEnded: boolean
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
  hasEnded: false,
}

export const skipBackSeconds = 15
export const skipForwardSeconds = 30
/** The position is saved this often while playing, and whenever it stops or the page is hidden. */
export const noteEveryMs = 5_000
/** A jump longer than this can be undone. */
export const longJumpSeconds = 60

export interface Player {
  subscribe: (listener: () => void) => () => void
  state: () => PlayerState
  /** Opens and plays a recording, closing any other; pauses and closes it if it is open. */
  toggle: (recording: Playable) => void
  /** Plays from this second, even if another recording is open or another position is saved. */
  playFrom: (recording: Playable, seconds: number) => void
  /** Plays another recording after the open one; a sleep timer runs on. */
  playOn: (recording: Playable) => void
  close: () => void
  play: () => void
  pause: () => void
  seek: (seconds: number) => void
  skip: (seconds: number) => void
  /** Plays from the beginning and discards the saved position. */
  startAgain: () => void
  setSpeed: (speed: number) => void
  /** Stops after this many minutes, at the end of the teaching, or not at all (null). */
  setSleep: (after: number | 'end' | null) => void
}

export const isSounding = (status: PlayerStatus): boolean => status === 'playing' || status === 'loading'
