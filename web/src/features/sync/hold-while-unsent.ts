import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { onMemoryUse } from '@fellowship/sync/client/database/memory-fallback'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { watch } from '@fellowship/sync/client/engine/live'
import { holdWhile } from '../../lib/busy.ts'

/** In memory, an unsent change or recording is lost when the page closes, so the browser asks before the page is left. */
export function holdWhileUnsent(): void {
  let isWatching = false
  onMemoryUse(() => {
    if (isWatching) return
    isWatching = true
    let release: (() => void) | undefined
    watch(countUnsent, (count) => {
      if (count > 0 && !release) void holdWhile(() => new Promise<void>((resolve) => (release = resolve)))
      if (count > 0) return
      release?.()
      release = undefined
    })
  })
}

async function countUnsent(): Promise<number> {
  const entries = await appDatabase().outbox.count()
  const jobs = await uploadDatabase()
    .jobs.filter(({ state }) => state !== 'done' && state !== 'lost')
    .count()
  return entries + jobs
}
