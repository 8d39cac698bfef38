import { secondsOf } from '@fellowship/schema/teachings/duration'
import type {
  Answer,
  Command,
  ElementEvent,
  ElementSnapshot,
  Moment,
  PageEvent,
  PlayerEffect,
  PlayerEvent,
  PlayerFlow,
} from './player-events.ts'
import {
  andThen,
  attach,
  noPlayer,
  onError,
  onFailureClassified,
  onPositionRead,
  onSavedChanged,
  open,
  playsAgain,
  playSaved,
  retry,
  start,
  type Next,
  type OpenRequest,
} from './player-loading.ts'
import { closedPlayer, isSounding, longJumpSeconds, noteEveryMs, type Playable } from './player-state.ts'

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
    case 'playOn':
      return andThen(close(flow, moment), (closed) => [
        closed,
        openNext(event),
        ...sleepOn(flow.sleep, moment),
      ])
    case 'open':
      return open(flow, event)
    case 'close':
      return close(flow, moment)
    case 'play':
      return play(flow, moment)
    case 'pause':
      return pause({ ...flow, silenced: true }, moment)
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
      return keepAsLeft(flow, moment)
  }
}

/** Of an element that is paused already no event follows: its sound was still to come. */
function pause(flow: PlayerFlow, moment: Moment): Next {
  const effect: PlayerEffect = { type: 'pause' }
  return moment.element.paused && isSounding(flow.status)
    ? andThen([{ ...flow, status: 'paused' }, effect], (paused) => savePosition(paused, moment))
    : [flow, effect]
}

function onElement(flow: PlayerFlow, event: ElementEvent, moment: Moment): Next {
  const { element } = moment
  switch (event.name) {
    case 'playing':
      return [sounding(flow)]
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
    case 'failureClassified':
      return onFailureClassified(flow, event.failure)
    case 'serverAnswered':
      return retry(flow, [], playsAgain(flow), moment)
  }
}

/** An event of its own, so that the element's events on detaching still reach a closed player. */
const openNext = ({ recording, speed }: OpenRequest): PlayerEffect => ({
  type: 'dispatch',
  event: { type: 'open', recording, speed },
})

/** Restarts the sleep timer for the next recording, as closing the previous one has stopped it. */
function sleepOn(sleep: PlayerFlow['sleep'], { now }: Moment): PlayerEffect[] {
  if (sleep === null) return []
  const after = sleep === 'end' ? sleep : Math.max(0, sleep - now) / 60_000
  return [{ type: 'dispatch', event: { type: 'setSleep', after } }]
}

function play(flow: PlayerFlow, moment: Moment): Next {
  // If the element already plays, another play() fires no event.
  if (!flow.recording || (flow.status === 'playing' && !moment.element.paused)) return [flow]
  // A timer that ran out while nothing played, as on a device that slept, has nothing more to end.
  const isOver = typeof flow.sleep === 'number' && moment.now >= flow.sleep
  const awake = isOver ? { ...flow, sleep: null } : flow
  return andThen(awake.status === 'failed' ? retry(awake, [], true, moment) : start(awake), (next) =>
    isOver ? [next, { type: 'stopSleepTimer' }] : [next],
  )
}

function close(flow: PlayerFlow, moment: Moment): Next {
  const { recording, status, position, speed } = flow
  if (!recording) return [flow]
  return andThen(savePosition(flow, moment), (saved) => {
    const wasHeard = (status !== 'paused' || position > 0) && !hasMissedStart(flow, recording)
    const left = wasHeard ? leave(saved, recording.uid, position, moment) : saved
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
  if (hasMissedStart(flow, recording)) return [flow]
  const stopped = flow.status === 'paused'
  const moment = { seconds, duration, at: now, startedAgain, ...(stopped && { stopped }) }
  return [
    { ...flow, savedAt: now },
    { type: 'savePosition', uid: recording.uid, moment },
  ]
}

/**
 * Whether it plays before its start second although the user did not go back; then the saved position must stay.
 * WebKitGTK may begin at 0, as it does not seek until it has read the length. False if the recording was replaced by a
 * shorter one, which has no such second.
 */
function hasMissedStart({ position, load: { startAt } }: PlayerFlow, recording: Playable): boolean {
  const length = secondsOf(recording.duration)
  return position < startAt - 1 && (length === null || startAt < length)
}

function keepAsLeft(flow: PlayerFlow, moment: Moment): Next {
  const [saved, ...effects] = savePosition(flow, moment)
  return [
    saved,
    ...effects.map((effect) =>
      effect.type === 'savePosition' ? { ...effect, type: 'keepAsLeft' as const } : effect,
    ),
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

/**
 * Playing again if the position advances twice: WebKit does not report 'playing' again after 'waiting', and its
 * readyState stays behind. One advance is not enough, as a seek may end beside its target.
 */
function heardAgain(flow: PlayerFlow, { isRunning, currentTime }: ElementSnapshot): PlayerFlow {
  if (flow.status !== 'loading') return flow
  const step = currentTime - flow.position
  const isStep = step > 0 && (step < longestStepSeconds || flow.position === flow.duration)
  const advances = isRunning && isStep ? flow.load.advances + 1 : 0
  return advances > 1 ? sounding(flow) : { ...flow, load: { ...flow.load, advances } }
}

/** The longest step between two reports of the position; if it is longer, it is a seek. */
const longestStepSeconds = 5

const sounding = (flow: PlayerFlow): PlayerFlow => ({
  ...flow,
  status: 'playing',
  hasEnded: false,
  load: { ...flow.load, played: true, advances: 0 },
})

function onProgress(flow: PlayerFlow, moment: Moment): Next {
  const { element, now } = moment
  const position = Math.min(element.currentTime, flow.duration ?? Infinity)
  const moved: PlayerFlow = { ...heardAgain(flow, element), position }
  const isDue = !element.paused && now - flow.savedAt >= noteEveryMs
  const noted = andThen(isDue ? savePosition(moved, moment) : [moved], (saved) =>
    // Timers are throttled in a background tab; playback progress is not.
    typeof saved.sleep === 'number' && now >= saved.sleep ? fallAsleep(saved) : [saved],
  )
  return andThen(noted, (heard) => goToMissedStart(heard, moment))
}

/** Seeks to the missed second once more when the element reports a length beyond it. */
function goToMissedStart(flow: PlayerFlow, { element: { duration } }: Moment): Next {
  const { recording, load } = flow
  const canGo = recording !== null && hasMissedStart(flow, recording) && load.startAt < duration - 1
  return canGo && !load.wentAgain
    ? [
        { ...flow, load: { ...load, wentAgain: true } },
        { type: 'seek', seconds: load.startAt },
      ]
    : [flow]
}

/**
 * The element's length is used only if the library has none: for an MP3 without a table of contents it is an estimate,
 * which may be four times too long. A length of 0 is ignored, as WebKit reports it until it has read enough.
 */
const withDuration = (flow: PlayerFlow, { element: { duration } }: Moment): PlayerFlow =>
  !secondsOf(flow.recording?.duration ?? null) && Number.isFinite(duration) && duration > 0
    ? { ...flow, duration }
    : flow

/** Seeks to the start second of the load. */
function onMetadata(flow: PlayerFlow, { element: { currentTime, duration } }: Moment): Next {
  const { startAt } = flow.load
  const isBeforeEnd = duration === 0 || startAt < duration - 1
  const isElsewhere = isBeforeEnd && Math.abs(currentTime - startAt) > 1
  return isElsewhere ? [flow, { type: 'seek', seconds: startAt }] : [flow]
}

/** The recording was heard to its end, even if the element ends before or after the counted length. */
function onEnded(flow: PlayerFlow, moment: Moment): Next {
  const isHeard = flow.recording !== null && !hasMissedStart(flow, flow.recording)
  const atEnd = isHeard ? { ...flow, position: flow.duration ?? flow.position } : flow
  const [saved, ...effects] = savePosition(atEnd, moment)
  const leftAt = new Map(saved.leftAt)
  if (flow.recording) leftAt.delete(flow.recording.uid)
  const rewound: PlayerFlow = {
    ...saved,
    leftAt,
    status: 'paused',
    position: 0,
    resumedAt: null,
    jumpedFrom: null,
    hasEnded: true,
    load: { ...saved.load, startAt: 0, played: false },
  }
  return andThen([rewound, ...effects], (next) =>
    flow.sleep === 'end' ? close(next, moment) : [next, { type: 'seek', seconds: 0 }],
  )
}
