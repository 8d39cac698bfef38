import type { ListeningMoment, ListeningPosition } from '@fellowship/schema/listening/listening-position'
import type { Failure, PlayerState, Playable } from './player-state.ts'
import type { SoundSource } from './sound-source.ts'

/** The player's whole state: the part for components, and the reducer's memory between events. */
export interface PlayerFlow extends PlayerState {
  load: Load
  /** Paused by the user or the sleep timer: an automatic retry must not start the sound again. */
  silenced: boolean
  /** When the position was last saved, epoch milliseconds. */
  savedAt: number
  /** The position at which each recording was left on this page; newer than the database's. */
  leftAt: ReadonlyMap<string, { seconds: number; at: number }>
}

/** One attempt to load a recording into the audio element. */
interface Load {
  /** The answer to an effect of an earlier load is ignored. */
  id: number
  source: SoundSource
  failedSources: readonly SoundSource[]
  /** The second at which it starts. */
  startAt: number
  /** Whether it was sent to `startAt` a second time, as it played from an earlier second. */
  wentAgain: boolean
  /** Until it has played, its position is not worth saving. */
  played: boolean
  /** How often in a row the position advanced while it was loading. */
  advances: number
  /** When it began, epoch milliseconds. */
  begunAt: number
  /** It was playing when it failed, so it plays again when it can. */
  wasSounding: boolean
}

/** The clock, the sources and the element when an event arrives. */
export interface Moment {
  /** Epoch milliseconds. */
  now: number
  /** The available sources of the open recording, best first. */
  sources: readonly SoundSource[]
  element: ElementSnapshot
}

export interface ElementSnapshot {
  currentTime: number
  duration: number
  hasMetadata: boolean
  /** Neither paused nor seeking. */
  isRunning: boolean
  paused: boolean
  hasError: boolean
}

/** Commands of the user and of the sleep timer. */
export type Command =
  | { type: 'toggle'; recording: Playable; speed: number }
  | { type: 'playFrom'; recording: Playable; speed: number; seconds: number }
  | { type: 'playOn'; recording: Playable; speed: number }
  /** Of a closed player. */
  | { type: 'open'; recording: Playable; speed: number }
  | { type: 'close' }
  | { type: 'play' }
  | { type: 'pause' }
  | { type: 'seek'; seconds: number }
  | { type: 'skip'; seconds: number }
  | { type: 'startAgain' }
  | { type: 'setSpeed'; speed: number }
  | { type: 'setSleep'; after: number | 'end' | null }
  | { type: 'sleepTimerFired' }

/** Events of the page: the list of saved recordings changed, or the page may be gone in a moment. */
export type PageEvent = { type: 'savedChanged' } | { type: 'pageHidden' }

export const elementEvents = [
  'playing',
  'waiting',
  'pause',
  'timeupdate',
  'seeked',
  'loadedmetadata',
  'durationchange',
  'ended',
  'error',
] as const

/** The audio element's own events, by their DOM names. */
export interface ElementEvent {
  type: 'element'
  name: (typeof elementEvents)[number]
}

export type Answer =
  | { type: 'positionRead'; loadId: number; saved: ListeningPosition | undefined }
  /** There is no address if the bytes are missing on this device. */
  | { type: 'blobRead'; loadId: number; address: string | undefined }
  /** The browser wants a user gesture first, or the source has changed. */
  | { type: 'playRefused'; loadId: number }
  | { type: 'missingMarked'; loadId: number }
  | { type: 'failureClassified'; loadId: number; failure: Failure }
  | { type: 'serverAnswered'; loadId: number }

export type PlayerEvent = Command | PageEvent | ElementEvent | Answer

export type PlayerEffect =
  | { type: 'dispatch'; event: PlayerEvent }
  | { type: 'readPosition'; loadId: number; uid: string }
  | { type: 'readBlob'; loadId: number; audioUrl: string }
  | { type: 'attach'; address: string; source: SoundSource; speed: number; volume: number; audioUrl: string }
  | { type: 'play'; loadId: number }
  | { type: 'pause' }
  | { type: 'seek'; seconds: number }
  | { type: 'detach' }
  | { type: 'setRate'; speed: number }
  | { type: 'rememberSpeed'; speaker: string; speed: number }
  | { type: 'savePosition'; uid: string; moment: ListeningMoment }
  /** Used when the page may be gone before a database has written the position. */
  | { type: 'keepAsLeft'; uid: string; moment: ListeningMoment }
  /** Marks saved recordings whose bytes the browser has evicted. */
  | { type: 'markMissing'; loadId: number }
  | { type: 'classifyFailure'; loadId: number; audioUrl: string }
  | { type: 'waitForServer'; loadId: number; audioUrl: string }
  | { type: 'stopWaiting' }
  | { type: 'startSleepTimer'; ms: number }
  | { type: 'stopSleepTimer' }
