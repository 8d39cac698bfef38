import { resumeAt, type ListeningPosition } from '@fellowship/schema/listening/listening-position'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { liveQuery } from '@fellowship/sync/client/database/live-query'
import { readPositions } from '@fellowship/sync/client/listening/listening.store'

/** The teaching that was heard last and not to its end, and where it was left. */
export interface Unfinished {
  teaching: Teaching
  position: ListeningPosition
}

/** Reports it now and after every change; null where there is none. */
export function watchUnfinished(onChange: (unfinished: Unfinished | null) => void): () => void {
  const subscription = liveQuery(readUnfinished).subscribe({
    next: onChange,
    error: () => onChange(null),
  })
  return () => subscription.unsubscribe()
}

async function readUnfinished(): Promise<Unfinished | null> {
  for (const position of await readPositions()) {
    if (resumeAt(position) === 0) continue
    const teaching = await appDatabase().teachings.get(position.uid)
    if (teaching?.audioUrl) return { teaching, position }
  }
  return null
}
