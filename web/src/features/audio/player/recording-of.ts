import { soundAddress } from '@fellowship/schema/copies/copies.limits'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { chosenRecording } from '../recording-choice.ts'
import { evenVolume } from './even-volume.ts'
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
