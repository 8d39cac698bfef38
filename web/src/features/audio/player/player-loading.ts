import {
  leastSeconds,
  resumeAt,
  type ListeningPosition,
} from '@fellowship/schema/listening/listening-position'
import { secondsOf } from '@fellowship/schema/teachings/duration'
import type { Moment, PlayerEffect, PlayerFlow } from './player-events.ts'
import { closedPlayer, isSounding, type Playable } from './player-state.ts'
import { bestSource, isOnDevice, workerAddress, type SoundSource } from './sound-source.ts'

/* Chooses the source of a recording, and the next one when a source fails. */

export const noPlayer: PlayerFlow = {
  ...closedPlayer,
  load: {
    id: 0,
    source: 'network',
    failedSources: [],
    startAt: 0,
    wentAgain: false,
    played: false,
    advances: 0,
    begunAt: 0,
    wasSounding: false,
  },
  silenced: false,
  savedAt: 0,
  leftAt: new Map(),
}

export type Next = readonly [PlayerFlow, ...PlayerEffect[]]

export interface OpenRequest {
  recording: Playable
  speed: number
}

export function open(flow: PlayerFlow, { recording, speed }: OpenRequest): Next {
  const load = { ...noPlayer.load, id: flow.load.id + 1 }
  const duration = secondsOf(recording.duration)
  return [
    { ...flow, ...closedPlayer, status: 'loading', recording, speed, duration, load },
    { type: 'readPosition', loadId: load.id, uid: recording.uid },
  ]
}

/** Resumes at this page's position or at the saved one, whichever is newer: another tab may have played it. */
export function onPositionRead(flow: PlayerFlow, saved: ListeningPosition | undefined, moment: Moment): Next {
  if (!flow.recording || flow.status !== 'loading') return [flow]
  const here = flow.leftAt.get(flow.recording.uid)
  const startAt = here && here.at >= (saved?.listenedAt ?? 0) ? here.seconds : resumeAt(saved)
  const resumedAt = startAt >= leastSeconds ? startAt : null
  return load({ ...flow, resumedAt }, { startAt, failedSources: [], sound: true }, moment)
}

interface LoadRequest {
  startAt: number
  failedSources: readonly SoundSource[]
  /** Whether it plays at once, or waits for the user. */
  sound: boolean
  /** Whether the worker waits for the signal, as it has played before. */
  isPatient?: boolean
}

function load(
  flow: PlayerFlow,
  { startAt, failedSources, sound, isPatient = false }: LoadRequest,
  { sources, now }: Moment,
): Next {
  const { recording } = flow
  if (!recording) return [flow]
  const source = bestSource(sources, failedSources)
  const id = flow.load.id + 1
  const loading: PlayerFlow = {
    ...flow,
    status: sound ? 'loading' : 'paused',
    failure: null,
    position: startAt,
    saved: isOnDevice(source),
    silenced: !sound,
    load: { ...noPlayer.load, id, source, failedSources, startAt, begunAt: now },
  }
  if (source === 'blob') {
    return [loading, { type: 'stopWaiting' }, { type: 'readBlob', loadId: id, audioUrl: recording.audioUrl }]
  }
  const address =
    source === 'network' ? recording.audioUrl : workerAddress(recording.audioUrl) + (isPatient ? '?wait' : '')
  return andThen([loading, { type: 'stopWaiting' }], (stopped) => attach(stopped, address))
}

/** Loads again at the present position, leaving out the sources that have failed. */
export const retry = (
  flow: PlayerFlow,
  failedSources: readonly SoundSource[],
  sound: boolean,
  moment: Moment,
) => load(flow, { startAt: flow.position, failedSources, sound }, moment)

export function attach(flow: PlayerFlow, address: string): Next {
  if (!flow.recording) return [flow]
  const { source } = flow.load
  const { audioUrl, volume = 1 } = flow.recording
  const effect: PlayerEffect = { type: 'attach', address, source, speed: flow.speed, volume, audioUrl }
  // If it was paused while its bytes were read, the element had nothing to pause, so it fired no event.
  return flow.silenced ? [{ ...flow, status: 'paused' }, effect] : andThen([flow, effect], start)
}

export const start = (flow: PlayerFlow): Next => [
  { ...flow, silenced: false, status: 'loading', hasEnded: false },
  { type: 'play', loadId: flow.load.id },
]

export function onError(flow: PlayerFlow, moment: Moment): Next {
  const wasSounding = isSounding(flow.status)
  const failing: PlayerFlow = { ...flow, load: { ...flow.load, wasSounding } }
  // The browser may have evicted the bytes: they are marked as missing, then the network is tried.
  if (isOnDevice(flow.load.source)) return [failing, { type: 'markMissing', loadId: flow.load.id }]
  if (flow.load.source === 'ahead') return onAheadError(failing, moment)
  if (hasSavedSource(flow, moment)) return playSaved(failing, moment, wasSounding)
  const { recording } = flow
  if (!recording) return [flow]
  return [
    { ...failing, status: 'loading' },
    { type: 'classifyFailure', loadId: flow.load.id, audioUrl: recording.audioUrl },
  ]
}

/**
 * Browsers end a response that waits for minutes, as in a dead spot: the next one waits from the same second on. One that
 * fails at once is refused, or cannot be played.
 */
function onAheadError(flow: PlayerFlow, moment: Moment): Next {
  const { load: failed, position } = flow
  const waits = failed.played || moment.now - failed.begunAt > refusedWithinMs
  if (!waits) return retry(flow, [...failed.failedSources, 'ahead'], playsAgain(flow), moment)
  return load(
    flow,
    { startAt: position, failedSources: failed.failedSources, sound: playsAgain(flow), isPatient: true },
    moment,
  )
}

const refusedWithinMs = 20_000

export function onFailureClassified(flow: PlayerFlow, failure: PlayerFlow['failure']): Next {
  const failed: PlayerFlow = { ...flow, status: 'failed', failure }
  return failure === 'unreachable' && flow.recording
    ? [failed, { type: 'waitForServer', loadId: flow.load.id, audioUrl: flow.recording.audioUrl }]
    : [failed]
}

export function onSavedChanged(flow: PlayerFlow, moment: Moment): Next {
  if (flow.status === 'failed' && flow.failure === 'unreachable') {
    const isSaved = isOnDevice(bestSource(moment.sources))
    return isSaved ? retry(flow, [], playsAgain(flow), moment) : [flow]
  }
  const { load: current } = flow
  // The rest has arrived: the worker, which serves it already, needs the network no more.
  if (current.source === 'ahead' && bestSource(moment.sources, current.failedSources) === 'worker')
    return [{ ...flow, saved: true, load: { ...current, source: 'worker' } }]
  return flow.load.played && flow.status === 'loading' ? playSaved(flow, moment, true) : [flow]
}

/** Continues from the saved copy if the recording was saved since it was opened; for when the network stalls or fails. */
export const playSaved = (flow: PlayerFlow, moment: Moment, sound: boolean): Next =>
  hasSavedSource(flow, moment) ? retry(flow, flow.load.failedSources, sound, moment) : [flow]

const hasSavedSource = ({ load: { source, failedSources } }: PlayerFlow, { sources }: Moment): boolean =>
  source === 'network' && isOnDevice(bestSource(sources, failedSources))

export const playsAgain = ({ load, silenced }: PlayerFlow): boolean => load.wasSounding && !silenced

/** Runs the next step on the state of the one before, and collects the effects of both. */
export function andThen([flow, ...effects]: Next, step: (flow: PlayerFlow) => Next): Next {
  const [next, ...more] = step(flow)
  return [next, ...effects, ...more]
}
