import { passages } from '@fellowship/schema/passages/passages.contract'
import { call } from '@fellowship/sync/call/call'
import { liveQuery } from '@fellowship/sync/client/database'
import {
  byReference,
  readPassages,
  type PassagesByReference,
} from '@fellowship/sync/client/replica/passages.store'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'

/**
 * Tells the passages on the device, at once and after every change: they are looked up without the line. A browser that
 * keeps nothing for the site is served from the line alone.
 */
export function watchPassages(onChange: (known: PassagesByReference) => void): () => void {
  // Brings them on a first visit; afterwards every pull does.
  void syncSession()
  const subscription = liveQuery(() => readPassages()).subscribe({
    next: (known) => known && onChange(known),
    error: () =>
      void call(passages.list).then(
        (rows) => onChange(byReference(rows)),
        // Without passages references are plain text, which says all it has to.
        () => undefined,
      ),
  })
  return () => subscription.unsubscribe()
}
