import { soundAddress } from '@fellowship/schema/copies/copies.limits'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { chosenRecording } from '../recording-choice.ts'
import type { Playable } from './player-state.ts'

/** The recording of a teaching that the player plays on this device; null if the teaching has no audio yet. */
export function playableOf(teaching: ListedTeaching): Playable | null {
  const { audioUrl, audioBytes } = chosenRecording(teaching)
  if (!audioUrl) return null
  const isMeasured = typeof teaching.loudness === 'number'
  const isOriginal = audioUrl === teaching.audioUrl
  const { uid, speaker, duration } = teaching
  return {
    uid,
    title: shownTitle(teaching),
    speaker,
    audioUrl,
    duration,
    bytes: audioBytes,
    volume: isOriginal ? evenVolume(teaching.loudness) : 1,
    soundUrl: isMeasured ? soundAddress(teaching.audioUrl ?? '') : undefined,
  }
}

/** The loudness that teachings are played at, in LUFS: that of small copies, which are heard from two speakers. */
const wanted = -16

/**
 * The element's volume, 0 to 1, at which a recording is as loud as the others. It can only be turned down, and iOS leaves
 * that to the device's own keys.
 *
 * @param loudness in LUFS; null if it was not measured
 */
export const evenVolume = (loudness: number | null | undefined): number =>
  typeof loudness === 'number' ? Math.min(1, 10 ** ((wanted - loudness) / 20)) : 1
