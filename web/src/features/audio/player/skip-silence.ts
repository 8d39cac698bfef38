import { silencesOf, sound } from '@fellowship/sound/measure/sound-file'
import { skipsSilence } from '../../../lib/comfort.ts'
import { noteSkipped } from '../../../lib/skipped-silence.ts'
import { readSound } from '../saved/kept-sounds.ts'
import type { Player } from './player-state.ts'

interface Silence {
  start: number
  end: number
}

interface Sounding {
  url: string | undefined
  silences: readonly Silence[]
}

/** Seconds of a silence that are heard on both sides, so that words do not run into each other. */
const breath = 0.4
/** Seconds that a seek must save to be worth it. */
const least = 0.6

const connected = new WeakSet<HTMLAudioElement>()

/**
 * Skips the silences of the open recording by seeking, as an audio graph stops in the background on iOS.
 * Does nothing if the element is already connected.
 */
export function skipSilences(player: Player, audio: HTMLAudioElement): void {
  if (connected.has(audio)) return
  connected.add(audio)
  let known: Sounding = { url: undefined, silences: [] }
  audio.addEventListener('timeupdate', () => {
    if (!skipsSilence() || audio.paused || audio.seeking) return
    const url = player.state().recording?.soundUrl
    if (url !== known.url) {
      const reading: Sounding = { url, silences: [] }
      known = reading
      if (url) void readSilences(url).then((silences) => (reading.silences = silences))
    }
    const target = afterSilence(known.silences, audio.currentTime)
    if (target === undefined || !isBuffered(audio, target)) return
    noteSkipped(target - audio.currentTime)
    audio.currentTime = target
  })
}

/** The second at which to continue when `at` is inside a silence; undefined if nothing is worth skipping. */
export function afterSilence(silences: readonly Silence[], at: number): number | undefined {
  const inside = silences.find(({ start, end }) => at >= start + breath && at < end - breath - least)
  return inside && inside.end - breath
}

async function readSilences(url: string): Promise<Silence[]> {
  try {
    return silencesOf(sound.parse(await readSound(url)))
  } catch {
    // If it was not measured, or is not on this device offline, everything is played.
    return []
  }
}

/** Whether a seek needs no waiting: if the target is not buffered, loading takes longer than the silence. */
function isBuffered({ buffered, currentTime }: HTMLAudioElement, target: number): boolean {
  for (let at = 0; at < buffered.length; at++)
    if (buffered.start(at) <= currentTime && target <= buffered.end(at)) return true
  return false
}
