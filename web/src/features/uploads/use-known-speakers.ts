import { readTeachings } from '@fellowship/sync/client/replica/teachings.store'
import { useEffect, useState } from 'react'
import { runWhenLoaded } from '../../lib/run-when-loaded.ts'

const none: readonly string[] = []

/** The speakers of the library, the most frequent first; empty until the library is read. Works offline. */
export function useKnownSpeakers(): readonly string[] {
  const [speakers, setSpeakers] = useState(none)
  // If the library cannot be read, there are no suggestions.
  useEffect(
    () =>
      runWhenLoaded(async () => {
        const counts = new Map<string, number>()
        for (const { speaker } of (await readTeachings()) ?? [])
          counts.set(speaker, (counts.get(speaker) ?? 0) + 1)
        return () => setSpeakers([...counts].sort((a, b) => b[1] - a[1]).map(([speaker]) => speaker))
      }),
    [],
  )
  return speakers
}
