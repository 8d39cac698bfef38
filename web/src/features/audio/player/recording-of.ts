import { soundAddress } from '@fellowship/schema/copies/sound-address'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { chosenRecording } from '../recording-choice.ts'
import { evenVolume } from './even-volume.ts'
import type { Recording } from './player-state.ts'

/** What the player plays of a teaching on this device; null where it has no audio yet. */
export function recordingOf(teaching: Teaching): Recording | null {
  const { uid, speaker, duration, audioUrl, audioBytes } = chosenRecording(teaching)
  if (!audioUrl) return null
  const isMeasured = typeof teaching.loudness === 'number'
  const isOriginal = audioUrl === teaching.audioUrl
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
