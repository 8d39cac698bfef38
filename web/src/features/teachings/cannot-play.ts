import { audioExtensions, audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { useSyncExternalStore } from 'react'

/** The kind of a recording ('m4a') if this browser certainly cannot play it; undefined if it may, and on the server. */
export const useCannotPlay = (audioUrl: string | null): AudioExtension | undefined =>
  useSyncExternalStore(
    neverChanges,
    () => cannotPlay(audioUrl),
    () => undefined,
  )

const neverChanges = () => () => {}

function cannotPlay(audioUrl: string | null): AudioExtension | undefined {
  const kind = audioExtensions.find((extension) => audioUrl?.endsWith(`.${extension}`))
  if (kind === undefined) return undefined
  const known = unplayable.get(kind) ?? document.createElement('audio').canPlayType(audioMime[kind]) === ''
  unplayable.set(kind, known)
  return known ? kind : undefined
}

/** Cached per kind: a list has many rows. */
const unplayable = new Map<AudioExtension, boolean>()
