import { liveQuery } from '@fellowship/sync/client/database/live-query'
import { readPassages, type PassagesByReference } from '@fellowship/sync/client/replica/passages.store'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'

/** Reports the passages of the replica, at once and after every change: they can be looked up offline. */
export function watchPassages(onChange: (known: PassagesByReference) => void): () => void {
  // Starts the first sync, which brings them.
  void syncSession()
  const subscription = liveQuery(() => readPassages()).subscribe({
    next: (known) => known && onChange(known),
    // Without passages references stay plain text.
    error: () => undefined,
  })
  return () => subscription.unsubscribe()
}
