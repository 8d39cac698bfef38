import { holdPage } from '../../../lib/busy.ts'
import { connectMediaSession } from './media-session.ts'
import { makePlayerEffects, snapshotOf } from './player-effects.ts'
import { elementEvents, type Moment, type PlayerEvent } from './player-events.ts'
import { advance, noPlayer } from './player-reducer.ts'
import { isSounding, type Player } from './player-state.ts'
import { savedShelf } from '../saved/saved.ts'
import { availableSources } from './sound-source.ts'
import { speedOf } from './speeds.ts'

const players = new WeakMap<HTMLAudioElement, Player>()

/** The player of an element; always the same one. */
export function playerOf(audio: HTMLAudioElement): Player {
  const known = players.get(audio)
  if (known) return known
  const made = makePlayer(audio)
  players.set(audio, made)
  return made
}

/** Wires the reducer to the element: its events, the page's events and the user's commands go in, effects come out. */
function makePlayer(audio: HTMLAudioElement): Player {
  const { state, subscribe, dispatch } = makePlayerStore(audio)
  for (const name of elementEvents) audio.addEventListener(name, () => dispatch({ type: 'element', name }))
  savedShelf.subscribe(() => dispatch({ type: 'savedChanged' }))
  const hide = () => dispatch({ type: 'pageHidden' })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && hide())
  window.addEventListener('pagehide', hide)

  const player: Player = {
    subscribe,
    state,
    toggle: (recording) => dispatch({ type: 'toggle', recording, speed: speedOf(recording.speaker) }),
    playFrom: (recording, seconds) =>
      dispatch({ type: 'playFrom', recording, speed: speedOf(recording.speaker), seconds }),
    close: () => dispatch({ type: 'close' }),
    play: () => dispatch({ type: 'play' }),
    pause: () => dispatch({ type: 'pause' }),
    seek: (seconds) => dispatch({ type: 'seek', seconds }),
    skip: (seconds) => dispatch({ type: 'skip', seconds }),
    startAgain: () => dispatch({ type: 'startAgain' }),
    setSpeed: (speed) => dispatch({ type: 'setSpeed', speed }),
    setSleep: (after) => dispatch({ type: 'setSleep', after }),
  }
  connectMediaSession(player, audio)
  return player
}

/** The state, its listeners, and a queue: an event that an effect dispatches waits until the present one is done. */
function makePlayerStore(audio: HTMLAudioElement) {
  let flow = noPlayer
  let release: (() => void) | undefined
  const listeners = new Set<() => void>()
  const events: PlayerEvent[] = []
  let isRunning = false

  const dispatch = (event: PlayerEvent): void => {
    events.push(event)
    if (isRunning) return
    isRunning = true
    try {
      for (let next = events.shift(); next; next = events.shift()) step(next)
    } finally {
      isRunning = false
    }
  }
  const runEffect = makePlayerEffects(audio, dispatch)

  const step = (event: PlayerEvent): void => {
    const [next, ...effects] = advance(flow, event, momentOf(audio, flow.recording?.audioUrl))
    if (next !== flow) {
      flow = next
      holdWhileSounding()
      for (const listener of listeners) listener()
    }
    for (const effect of effects) runEffect(effect)
  }
  const holdWhileSounding = () => {
    if (isSounding(flow.status)) release ??= holdPage()
    else {
      release?.()
      release = undefined
    }
  }

  return {
    state: () => flow,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    dispatch,
  }
}

const momentOf = (audio: HTMLAudioElement, audioUrl: string | undefined): Moment => ({
  now: Date.now(),
  sources: audioUrl === undefined ? [] : availableSources(audioUrl),
  element: snapshotOf(audio),
})
