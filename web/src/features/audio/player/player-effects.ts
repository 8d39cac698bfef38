import { keepAsLeft } from '../../../lib/left-moments.ts'
import { listen } from '../../../lib/listen.ts'
import { note, positionsKnown, positionsNow } from '../../listening/positions.ts'
import { savedKnown, savedShelf } from '../saved/saved.ts'
import type { ElementSnapshot, PlayerEffect, PlayerEvent } from './player-events.ts'
import type { Failure } from './player-state.ts'
import { blobAddress } from './sound-source.ts'
import { rememberSpeed } from './speeds.ts'

type Dispatch = (event: PlayerEvent) => void
type Effect<Type extends PlayerEffect['type']> = Extract<PlayerEffect, { type: Type }>

/** Runs the reducer's effects on the audio element, the databases and the clock, and dispatches their results. */
export function makePlayerEffects(audio: HTMLAudioElement, dispatch: Dispatch) {
  const source = audioSource(audio)
  let stopWaiting = () => {}
  let sleepTimer: ReturnType<typeof setTimeout> | undefined

  return (effect: PlayerEffect): void => {
    switch (effect.type) {
      case 'dispatch':
        return dispatch(effect.event)
      case 'readPosition':
        return readPosition(effect, dispatch)
      case 'readBlob':
        return readBlob(effect, dispatch)
      case 'attach':
        source.attach(effect)
        return notePlayed(effect)
      case 'detach':
        return source.detach()
      case 'play':
        return play(audio, effect, dispatch)
      case 'pause':
        return audio.pause()
      case 'seek':
        if (audio.readyState > 0) audio.currentTime = effect.seconds
        return
      case 'setRate':
        return setRate(audio, effect.speed)
      case 'rememberSpeed':
        return rememberSpeed(effect.speaker, effect.speed)
      case 'savePosition':
        return note(effect.uid, effect.moment)
      case 'keepAsLeft':
        return keepAsLeft(effect.uid, effect.moment)
      case 'markMissing':
        return markMissing(effect, dispatch)
      case 'classifyFailure':
        return classify(effect, dispatch)
      case 'waitForServer':
        stopWaiting = whenServerAnswers(effect.audioUrl, () =>
          dispatch({ type: 'serverAnswered', loadId: effect.loadId }),
        )
        return
      case 'stopWaiting':
        return stopWaiting()
      case 'startSleepTimer':
        clearTimeout(sleepTimer)
        sleepTimer = setTimeout(() => dispatch({ type: 'sleepTimerFired' }), effect.ms)
        return
      case 'stopSleepTimer':
        return clearTimeout(sleepTimer)
    }
  }
}

export const snapshotOf = (audio: HTMLAudioElement): ElementSnapshot => ({
  currentTime: audio.currentTime,
  duration: audio.duration,
  hasMetadata: audio.readyState > 0,
  isRunning: !audio.paused && !audio.seeking,
  paused: audio.paused,
  hasError: Boolean(audio.error),
})

/** Sets and clears the element's source, and frees the object URL of the one before. */
function audioSource(audio: HTMLAudioElement) {
  let blobUrl: string | undefined
  const free = (next?: string) => {
    if (blobUrl) URL.revokeObjectURL(blobUrl)
    blobUrl = next
  }
  return {
    /** Sets no position: if it is set before the metadata has arrived, WebKit shows it and does not play. */
    attach({ address, source, speed, volume }: Effect<'attach'>): void {
      free(source === 'blob' ? address : undefined)
      audio.src = address
      audio.volume = volume
      setRate(audio, speed)
    },
    detach(): void {
      audio.pause()
      // If the source stayed, a headset key would start playback without an event of the player.
      audio.removeAttribute('src')
      audio.load()
      free()
    },
  }
}

function setRate(audio: HTMLAudioElement, speed: number): void {
  audio.defaultPlaybackRate = speed
  audio.playbackRate = speed
}

function play(audio: HTMLAudioElement, { loadId }: Effect<'play'>, dispatch: Dispatch): void {
  // If the recording is broken, the error event reports it.
  audio.play().catch(() => audio.paused && !audio.error && dispatch({ type: 'playRefused', loadId }))
}

/** Dispatches in the same task if the position is already known: phones play only within the user's tap. */
function readPosition({ loadId, uid }: Effect<'readPosition'>, dispatch: Dispatch): void {
  const answer = () => dispatch({ type: 'positionRead', loadId, saved: positionsNow()?.get(uid) })
  if (savedShelf.snapshot().status !== 'unknown' && positionsNow()) return answer()
  const known = Promise.all([savedKnown(), positionsKnown()])
  void Promise.race([known, new Promise((resolve) => setTimeout(resolve, knownWithinMs))]).then(answer)
}

/** Playback starts after this time even if the database hangs. */
const knownWithinMs = 2_000

function readBlob({ loadId, audioUrl }: Effect<'readBlob'>, dispatch: Dispatch): void {
  void blobAddress(audioUrl)
    .catch(() => undefined)
    .then((address) => dispatch({ type: 'blobRead', loadId, address }))
}

function notePlayed({ source, audioUrl }: Effect<'attach'>): void {
  if (source === 'network' || source === 'ahead') return
  void import('../saved/saved.device.ts')
    .then((device) => device.notePlayedNow(audioUrl))
    // If there is no room for the note, it still plays.
    .catch(() => undefined)
}

function markMissing({ loadId }: Effect<'markMissing'>, dispatch: Dispatch): void {
  void import('../saved/saved.device.ts')
    .then((device) => device.findMissing())
    .catch(() => undefined)
    .then(() => dispatch({ type: 'missingMarked', loadId }))
}

function classify({ loadId, audioUrl }: Effect<'classifyFailure'>, dispatch: Dispatch): void {
  void classifyFailure(audioUrl).then((failure) => dispatch({ type: 'failureClassified', loadId, failure }))
}

/** Asks the server, as the element reports the same error for a lost network and for a broken file. */
async function classifyFailure(audioUrl: string): Promise<Failure> {
  try {
    const { ok, status, headers } = await fetch(audioUrl, { method: 'HEAD', cache: 'no-store' })
    // If the answer is HTML, it comes from a captive portal or proxy: the server was not reached.
    if (headers.get('content-type')?.startsWith('text/html')) return 'unreachable'
    if (ok) return 'unplayable'
    return status >= 500 || status === 429 ? 'unreachable' : 'refused'
  } catch {
    return 'unreachable'
  }
}

/**
 * Calls back once, when the server answers again: tries when the browser comes online, when the page becomes visible,
 * and with backoff. Returns the function that stops it.
 */
function whenServerAnswers(audioUrl: string, then: () => void): () => void {
  let wait = firstWaitMs
  let timer: ReturnType<typeof setTimeout>
  let over = false
  const ask = async () => {
    clearTimeout(timer)
    const answered =
      document.visibilityState === 'visible' && (await classifyFailure(audioUrl)) !== 'unreachable'
    if (over) return
    if (answered) {
      stop()
      return then()
    }
    wait = Math.min(wait * 2, longestWaitMs)
    timer = setTimeout(askNow, wait)
  }
  const askNow = () => void ask()
  const ends = [listen(window, ['online'], askNow), listen(document, ['visibilitychange'], askNow)]
  const stop = () => {
    over = true
    clearTimeout(timer)
    for (const end of ends) end()
  }
  timer = setTimeout(askNow, wait)
  return stop
}

const firstWaitMs = 3_000
const longestWaitMs = 60_000
