import { openTabChannel } from '@fellowship/sync/client/engine/tab-channel'
import { holdPage } from '../../../lib/busy.ts'
import { skipsSilence } from '../../../lib/comfort.ts'
import { makeStore } from '../../../lib/lazy-store.ts'
import { savedShelf } from '../saved/saved.ts'
import { makePlayerEffects, snapshotOf } from './player-effects.ts'
import { elementEvents, type Moment, type PlayerEvent } from './player-events.ts'
import { noPlayer } from './player-loading.ts'
import { advance } from './player-reducer.ts'
import { isSounding, type Player, type PlayerState } from './player-state.ts'
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
    playOn: (recording) => dispatch({ type: 'playOn', recording, speed: speedOf(recording.speaker) }),
    close: () => dispatch({ type: 'close' }),
    play: () => dispatch({ type: 'play' }),
    pause: () => dispatch({ type: 'pause' }),
    seek: (seconds) => dispatch({ type: 'seek', seconds }),
    skip: (seconds) => dispatch({ type: 'skip', seconds }),
    startAgain: () => dispatch({ type: 'startAgain' }),
    setSpeed: (speed) => dispatch({ type: 'setSpeed', speed }),
    setSleep: (after) => dispatch({ type: 'setSleep', after }),
  }
  const announce = quietOtherTabs(player.pause)
  audio.addEventListener('playing', announce)
  audio.addEventListener(
    'playing',
    () => {
      void import('./media-session.device.ts').then(
        (part) => part.connectMediaSession(player, audio),
        nothing,
      )
      void import('./ahead.device.ts').then((part) => part.holdWhilePlaying(player, audio), nothing)
    },
    { once: true },
  )
  audio.addEventListener('playing', () => {
    if (skipsSilence())
      void import('./skip-silence.ts').then((part) => part.skipSilences(player, audio), nothing)
  })
  return player
}

/** If the code is missing offline, it plays without it. */
const nothing = () => undefined

/** The state, its listeners, and a queue: an event that an effect dispatches waits until the present one is done. */
function makePlayerStore(audio: HTMLAudioElement) {
  const store = makeStore(noPlayer)
  let release: (() => void) | undefined
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
    const flow = store.snapshot()
    const [next, ...effects] = advance(flow, event, momentOf(audio, flow.recording?.audioUrl))
    if (next !== flow) {
      holdWhileSounding(next)
      store.set(next)
    }
    for (const effect of effects) runEffect(effect)
  }
  const holdWhileSounding = ({ status }: PlayerState) => {
    if (isSounding(status)) release ??= holdPage()
    else {
      release?.()
      release = undefined
    }
  }

  return {
    state: store.snapshot,
    subscribe: store.subscribe,
    dispatch,
  }
}

const momentOf = (audio: HTMLAudioElement, audioUrl: string | undefined): Moment => ({
  now: Date.now(),
  sources: audioUrl === undefined ? [] : availableSources(audioUrl),
  element: snapshotOf(audio),
})

/**
 * Pauses all tabs but the newest: calls `pause` when another tab of this device starts to sound.
 *
 * @returns announces that this tab starts to sound
 */
function quietOtherTabs(pause: () => void): () => void {
  const channel = openTabChannel('player')
  channel?.addEventListener('message', pause)
  return () => channel?.postMessage('playing')
}
