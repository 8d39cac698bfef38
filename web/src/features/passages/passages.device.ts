import { watch } from '@fellowship/sync/client/engine/live'
import { readPassages, type PassagesByReference } from '@fellowship/sync/client/replica/public.store'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'

/** Reports the passages of the replica, at once and after every change: they can be looked up offline. */
export function watchPassages(onChange: (known: PassagesByReference) => void): () => void {
  // Starts the first sync, which fetches them.
  void syncSession()
  // Until they can be read, references stay plain text.
  return watch(
    () => readPassages(),
    (known) => known && onChange(known),
  )
}
