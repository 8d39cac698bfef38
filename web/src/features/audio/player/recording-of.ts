import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Recording } from './player-state.ts'

/** What the player plays of a teaching; null where it has no audio yet. */
export const recordingOf = (teaching: Teaching): Recording | null =>
  teaching.audioUrl
    ? {
        uid: teaching.uid,
        title: shownTitle(teaching),
        speaker: teaching.speaker,
        audioUrl: teaching.audioUrl,
        duration: teaching.duration,
        bytes: teaching.audioBytes,
      }
    : null
