import { teachingListFreshMs } from '@fellowship/schema/teachings/teachings.limits'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { NetworkError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { liveQuery } from '@fellowship/sync/client/database/live-query'
import { readShownOutbox, applyOutbox } from '@fellowship/sync/client/outbox/outbox'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { newestFirst, readTeachings } from '@fellowship/sync/client/replica/teachings.store'
import { pageQueues } from '../sync/page-queues.ts'
import { watchReplicated } from '../../lib/watch-replicated.ts'
import type { Library, OutboxView } from './library.ts'

/**
 * Reports the library from the replica, at once and after every change, and pulls where the replica is older than five
 * minutes. On a first visit the rows are reported while they are still being written.
 */
export const watchLibrary = (onChange: (library: Library) => void): (() => void) =>
  watchReplicated({
    kind: 'teaching',
    read: () => readTeachings(),
    inOrder: newestFirst,
    freshMs: teachingListFreshMs,
    onRows: (rows) => onChange({ status: 'ready', rows }),
    onFailure: (error) => onChange(failure(error)),
  })

const failure = (error: unknown): Library => ({
  status: 'failed',
  sentence: teachingTexts.fetchFailed(sentenceOfError(error)),
  offline: error instanceof NetworkError,
})

/** Calls `onChange` with the outbox of a user, at once and after every change. */
export function watchOutboxView(
  userId: number | undefined,
  onChange: (outbox: OutboxView) => void,
): () => void {
  const subscription = liveQuery(() => readShownOutbox(appDatabase(), userId)).subscribe({
    next: (entries) =>
      onChange({
        byUid: new Map(entries.map(({ uid, state }) => [uid, isUndecided(state) ? 'undecided' : 'queued'])),
        apply: (rows) => (entries.length === 0 ? rows : applyOutbox(rows, entries).sort(newestFirst)),
      }),
    // The library reports what the database failed at.
    error: () => undefined,
  })
  return () => subscription.unsubscribe()
}

const isUndecided = (state: string) => state === 'conflict' || state === 'rejected'

/** Pulls from the server now. */
export const refreshLibrary = (): Promise<void> => syncSession().pull()

/** The replica as it is now; undefined before the first pull. */
export const readLibrary = async (): Promise<Library | undefined> => {
  const rows = await readTeachings()
  return rows && { status: 'ready', rows }
}

/**
 * The Sync button: sends the outbox and the uploads, pulls, and verifies the replica against the server's digest.
 *
 * @returns how many changes of this user are still waiting
 */
export async function synchronize(): Promise<number> {
  const { outbox, uploads } = pageQueues()
  uploads.retryNow()
  // An entry that cannot be sent shows it in its own row.
  const waiting = await outbox.sendNow().catch(() => 0)
  await syncSession().pull({ verify: true })
  return waiting
}
