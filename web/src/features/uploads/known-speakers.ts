import { readTeachings } from '@fellowship/sync/client/replica/teachings.store'
import { useEffect, useState } from 'react'

const none: readonly string[] = []

/** The speakers of the library, the most frequent first; empty until the library is read. Works offline. */
export function useKnownSpeakers(): readonly string[] {
  const [speakers, setSpeakers] = useState(none)
  useEffect(() => {
    let isOver = false
    readTeachings().then(
      (rows = []) => {
        const counts = new Map<string, number>()
        for (const { speaker } of rows) counts.set(speaker, (counts.get(speaker) ?? 0) + 1)
        if (!isOver) setSpeakers([...counts].sort((a, b) => b[1] - a[1]).map(([speaker]) => speaker))
      },
      // If the library cannot be read, there are no suggestions.
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [])
  return speakers
}
