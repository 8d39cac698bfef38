import { leastSeconds, resumeAt } from '@fellowship/schema/listening/listening-position'
import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import { secondsOf } from '../../../lib/clock-time.ts'
import type {
  Answer,
  Command,
  ElementEvent,
  Moment,
  PageEvent,
  PlayerEffect,
  PlayerEvent,
  PlayerFlow,
} from './player-events.ts'
import { closedPlayer, isSounding, longJumpSeconds, noteEveryMs, type Recording } from './player-state.ts'
import { bestSource, workerAddress, type SoundSource } from './sound-source.ts'

export const noPlayer: PlayerFlow = {
  ...closedPlayer,
  load: { id: 0, source: 'network', failedSources: [], startAt: 0, played: false, wasSounding: false },
  silenced: false,
  savedAt: 0,
  leftAt: new Map(),
}

export type Next = readonly [PlayerFlow, ...PlayerEffect[]]

/** The state after an event, and the effects to run, in order. */
export function advance(flow: PlayerFlow, event: PlayerEvent, moment: Moment): Next {
  if ('loadId' in event) return event.loadId === flow.load.id ? onAnswer(flow, event, moment) : [flow]
  if (event.type === 'element') return flow.recording ? onElement(flow, event, moment) : [flow]
  return onCommand(flow, event, moment)
}

function onCommand(flow: PlayerFlow, event: Command | PageEvent, moment: Moment): Next {
  switch (event.type) {
    case 'toggle':
      return andThen(close(flow, moment), (closed) =>
        flow.recording?.uid === event.recording.uid ? [closed] : [closed, openNext(event)],
      )
    case 'playFrom':
      return andThen(close(flow, moment), (closed) => [
        leave(closed, event.recording.uid, event.seconds, moment),
        openNext(event),
      ])
    case 'open':
      return open(flow, event)
    case 'close':
      return close(flow, moment)
    case 'play':
      return play(flow, moment)
    case 'pause':
      return [{ ...flow, silenced: true }, { type: 'pause' }]
    case 'seek':
      return andThen(seek(flow, event.seconds), (moved) => savePosition(moved, moment))
    case 'skip':
      return andThen(seek(flow, flow.position + event.seconds), (moved) => savePosition(moved, moment))
    case 'startAgain':
      return startAgain(flow, moment)
    case 'setSpeed':
      return setSpeed(flow, event.speed)
    case 'setSleep':
      return setSleep(flow, event.after, moment)
    case 'sleepTimerFired':
      return fallAsleep(flow)
    case 'savedChanged':
      return onSavedChanged(flow, moment)
    case 'pageHidden':
      return savePosition(flow, moment)
  }
}

function onElement(flow: PlayerFlow, event: ElementEvent, moment: Moment): Next {
  const { element } = moment
  switch (event.name) {
    case 'playing':
      return [{ ...flow, status: 'playing', load: { ...flow.load, played: true } }]
    case 'waiting':
      return playSaved({ ...flow, status: 'loading' }, moment, true)
    case 'pause':
      return flow.status === 'failed' || element.hasError
        ? [flow]
        : savePosition({ ...flow, status: 'paused' }, moment)
    case 'timeupdate':
    case 'seeked':
      return element.hasMetadata && !element.hasError ? onProgress(flow, moment) : [flow]
    case 'durationchange':
      return [withDuration(flow, moment)]
    case 'loadedmetadata':
      return onMetadata(withDuration(flow, moment), moment)
    case 'ended':
      return onEnded(flow, moment)
    case 'error':
      return element.hasError ? onError(flow, moment) : [flow]
  }
}

function onAnswer(flow: PlayerFlow, event: Answer, moment: Moment): Next {
  switch (event.type) {
    case 'positionRead':
      return onPositionRead(flow, event.saved, moment)
    case 'blobRead':
      return event.address === undefined
        ? retry(flow, [...flow.load.failedSources, 'blob'], !flow.silenced, moment)
        : attach(flow, event.address)
    case 'playRefused':
      return [flow.status === 'loading' ? { ...flow, status: 'paused' } : flow]
    case 'missingMarked':
      return retry(flow, [...flow.load.failedSources, flow.load.source], playsAgain(flow), moment)
    case 'failureJudged':
      return onFailureJudged(flow, event.failure)
    case 'serverAnswered':
      return retry(flow, [], playsAgain(flow), moment)
  }
}

/** An event of its own: what the element fires as it is detached still meets a closed player. */
const openNext = ({ recording, speed }: OpenRequest): PlayerEffect => ({
  type: 'dispatch',
  event: { type: 'open', recording, speed },
})

interface OpenRequest {
  recording: Recording
  speed: number
}

function open(flow: PlayerFlow, { recording, speed }: OpenRequest): Next {
  const load = { ...noPlayer.load, id: flow.load.id + 1 }
  const duration = secondsOf(recording.duration)
  return [
    { ...flow, ...closedPlayer, status: 'loading', recording, speed, duration, load },
    { type: 'readPosition', loadId: load.id, uid: recording.uid },
  ]
}

/** Resumes where this page left it, or where the database says, whichever is newer: another tab may have played it. */
function onPositionRead(flow: PlayerFlow, saved: ListeningPosition | undefined, moment: Moment): Next {
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
}

function load(flow: PlayerFlow, { startAt, failedSources, sound }: LoadRequest, { sources }: Moment): Next {
  const { recording } = flow
  if (!recording) return [flow]
  const source = bestSource(sources, failedSources)
  const id = flow.load.id + 1
  const loading: PlayerFlow = {
    ...flow,
    status: sound ? 'loading' : 'paused',
    failure: null,
    position: startAt,
    saved: source !== 'network',
    silenced: !sound,
    load: { id, source, failedSources, startAt, played: false, wasSounding: false },
  }
  if (source === 'blob') {
    return [loading, { type: 'stopWaiting' }, { type: 'readBlob', loadId: id, audioUrl: recording.audioUrl }]
  }
  const address = source === 'worker' ? workerAddress(recording.audioUrl) : recording.audioUrl
  return andThen([loading, { type: 'stopWaiting' }], (stopped) => attach(stopped, address))
}

/** Loads again at the present position, leaving out the sources that have failed. */
const retry = (flow: PlayerFlow, failedSources: readonly SoundSource[], sound: boolean, moment: Moment) =>
  load(flow, { startAt: flow.position, failedSources, sound }, moment)

function attach(flow: PlayerFlow, address: string): Next {
  if (!flow.recording) return [flow]
  const { source, startAt } = flow.load
  const { audioUrl } = flow.recording
  const effect: PlayerEffect = { type: 'attach', address, source, startAt, speed: flow.speed, audioUrl }
  // Paused while its bytes were read: the element had nothing to pause, so it fired no event.
  return flow.silenced ? [{ ...flow, status: 'paused' }, effect] : andThen([flow, effect], start)
}

function play(flow: PlayerFlow, moment: Moment): Next {
  if (!flow.recording) return [flow]
  return flow.status === 'failed' ? retry(flow, [], true, moment) : start(flow)
}

const start = (flow: PlayerFlow): Next => [
  { ...flow, silenced: false, status: 'loading' },
  { type: 'play', loadId: flow.load.id },
]

function close(flow: PlayerFlow, moment: Moment): Next {
  const { recording, status, position, speed } = flow
  if (!recording) return [flow]
  return andThen(savePosition(flow, moment), (saved) => {
    const left = status !== 'paused' || position > 0 ? leave(saved, recording.uid, position, moment) : saved
    return [
      { ...left, ...closedPlayer, speed, load: { ...noPlayer.load, id: flow.load.id + 1 } },
      { type: 'stopWaiting' },
      { type: 'stopSleepTimer' },
      { type: 'detach' },
    ]
  })
}

const leave = (flow: PlayerFlow, uid: string, seconds: number, { now }: Moment): PlayerFlow => ({
  ...flow,
  leftAt: new Map(flow.leftAt).set(uid, { seconds, at: now }),
})

function savePosition(flow: PlayerFlow, { now }: Moment, startedAgain = false): Next {
  const { recording, position: seconds, duration } = flow
  if (!recording || duration === null || !(flow.load.played || startedAgain)) return [flow]
  const moment = { seconds, duration, at: now, startedAgain }
  return [
    { ...flow, savedAt: now },
    { type: 'savePosition', uid: recording.uid, moment },
  ]
}

function seek(flow: PlayerFlow, seconds: number): Next {
  const position = Math.min(Math.max(0, seconds), flow.duration ?? seconds)
  const isLongJump = Math.abs(position - flow.position) > longJumpSeconds
  return [
    {
      ...flow,
      ...(isLongJump && { jumpedFrom: flow.position, resumedAt: null }),
      position,
      load: { ...flow.load, startAt: position },
    },
    { type: 'seek', seconds: position },
  ]
}

function startAgain(flow: PlayerFlow, moment: Moment): Next {
  const atStart = andThen(seek(flow, 0), (moved) =>
    savePosition({ ...moved, resumedAt: null, jumpedFrom: null }, moment, true),
  )
  return andThen(atStart, (saved) => play(saved, moment))
}

function setSpeed(flow: PlayerFlow, speed: number): Next {
  const remember: PlayerEffect[] = flow.recording
    ? [{ type: 'rememberSpeed', speaker: flow.recording.speaker, speed }]
    : []
  return [{ ...flow, speed }, { type: 'setRate', speed }, ...remember]
}

function setSleep(flow: PlayerFlow, after: number | 'end' | null, { now }: Moment): Next {
  if (typeof after !== 'number') return [{ ...flow, sleep: after }, { type: 'stopSleepTimer' }]
  const ms = after * 60_000
  return [
    { ...flow, sleep: now + ms },
    { type: 'startSleepTimer', ms },
  ]
}

const fallAsleep = (flow: PlayerFlow): Next => [
  { ...flow, sleep: null, silenced: true },
  { type: 'stopSleepTimer' },
  { type: 'pause' },
]

function onProgress(flow: PlayerFlow, moment: Moment): Next {
  const { element, now } = moment
  const moved: PlayerFlow = { ...flow, position: element.currentTime }
  const isDue = !element.paused && now - flow.savedAt >= noteEveryMs
  return andThen(isDue ? savePosition(moved, moment) : [moved], (saved) =>
    // Timers are throttled in a background tab; playback progress is not.
    typeof saved.sleep === 'number' && now >= saved.sleep ? fallAsleep(saved) : [saved],
  )
}

const withDuration = (flow: PlayerFlow, { element: { duration } }: Moment): PlayerFlow =>
  Number.isFinite(duration) ? { ...flow, duration } : flow

/** Some browsers forget a position set before the metadata has arrived. */
function onMetadata(flow: PlayerFlow, { element: { currentTime, duration } }: Moment): Next {
  const { startAt } = flow.load
  const isElsewhere = startAt < duration - 1 && Math.abs(currentTime - startAt) > 1
  return isElsewhere ? [flow, { type: 'seek', seconds: startAt }] : [flow]
}

function onEnded(flow: PlayerFlow, moment: Moment): Next {
  const [saved, ...effects] = savePosition(flow, moment)
  const leftAt = new Map(saved.leftAt)
  if (flow.recording) leftAt.delete(flow.recording.uid)
  const rewound: PlayerFlow = {
    ...saved,
    leftAt,
    status: 'paused',
    position: 0,
    resumedAt: null,
    jumpedFrom: null,
    load: { ...saved.load, played: false },
  }
  return andThen([rewound, ...effects], (next) =>
    flow.sleep === 'end' ? close(next, moment) : [next, { type: 'seek', seconds: 0 }],
  )
}

function onError(flow: PlayerFlow, moment: Moment): Next {
  const wasSounding = isSounding(flow.status)
  const failing: PlayerFlow = { ...flow, load: { ...flow.load, wasSounding } }
  // The browser may have evicted the bytes: they are marked as missing, then the network is tried.
  if (flow.load.source !== 'network') return [failing, { type: 'markMissing', loadId: flow.load.id }]
  if (hasSavedSource(flow, moment)) return playSaved(failing, moment, wasSounding)
  const { recording } = flow
  if (!recording) return [flow]
  return [
    { ...failing, status: 'loading' },
    { type: 'judgeFailure', loadId: flow.load.id, audioUrl: recording.audioUrl },
  ]
}

function onFailureJudged(flow: PlayerFlow, failure: PlayerFlow['failure']): Next {
  const failed: PlayerFlow = { ...flow, status: 'failed', failure }
  return failure === 'unreachable' && flow.recording
    ? [failed, { type: 'waitForServer', loadId: flow.load.id, audioUrl: flow.recording.audioUrl }]
    : [failed]
}

function onSavedChanged(flow: PlayerFlow, moment: Moment): Next {
  if (flow.status === 'failed' && flow.failure === 'unreachable') {
    const isSaved = bestSource(moment.sources) !== 'network'
    return isSaved ? retry(flow, [], playsAgain(flow), moment) : [flow]
  }
  return flow.load.played && flow.status === 'loading' ? playSaved(flow, moment, true) : [flow]
}

/** Continues from the saved copy where the network stalls or fails and the recording was saved since it was opened. */
const playSaved = (flow: PlayerFlow, moment: Moment, sound: boolean): Next =>
  hasSavedSource(flow, moment) ? retry(flow, flow.load.failedSources, sound, moment) : [flow]

const hasSavedSource = ({ load: { source, failedSources } }: PlayerFlow, { sources }: Moment): boolean =>
  source === 'network' && bestSource(sources, failedSources) !== 'network'

const playsAgain = ({ load, silenced }: PlayerFlow): boolean => load.wasSounding && !silenced

/** Runs the next step on the state of the one before, and collects the effects of both. */
function andThen([flow, ...effects]: Next, step: (flow: PlayerFlow) => Next): Next {
  const [next, ...more] = step(flow)
  return [next, ...effects, ...more]
}
