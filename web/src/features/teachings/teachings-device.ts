import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { teachingListFreshMs } from '@fellowship/schema/teachings/teachings.limits'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { call } from '@fellowship/sync/call/call'
import { NetworkError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { appDatabase, hasStorage, liveQuery } from '@fellowship/sync/client/database'
import { readShownOutbox, applyOutbox } from '@fellowship/sync/client/outbox/outbox'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { newestFirst, readTeachings } from '@fellowship/sync/client/replica/teachings.store'
import { pageQueues } from '../sync/page-queues.ts'
import { watchReplicated } from '../../lib/watch-replicated.ts'
import type { Library, OutboxView } from './library.ts'

/**
 * Tells the library from the device's copy, at once and after every change, and brings the copy up to date where it
 * is older than SPEC's 5 minutes. On a first visit the rows are shown while they are still being written. A browser
 * that keeps nothing for the site is served from the line alone.
 */
export function watchLibrary(onChange: (library: Library) => void): () => void {
  let stop: (() => void) | undefined
  let isOver = false
  void hasStorage(appDatabase()).then((kept) => {
    if (!isOver) stop = kept ? watchDevice(onChange) : watchLine(onChange)
  })
  return () => {
    isOver = true
    stop?.()
  }
}

const watchDevice = (onChange: (library: Library) => void): (() => void) =>
  watchReplicated({
    kind: 'teaching',
    read: () => readTeachings(),
    inOrder: newestFirst,
    fetch: () => call(teachings.list),
    freshMs: teachingListFreshMs,
    onRows: (rows) => onChange({ status: 'ready', rows }),
    onFailure: (error) => onChange(failure(error)),
  })

/** Those who live from the line alone, as this browser keeps nothing for the site. */
const askAgain = new Set<() => Promise<void>>()

function watchLine(onChange: (library: Library) => void): () => void {
  const ask = async () => onChange({ status: 'ready', rows: await call(teachings.list) })
  askAgain.add(ask)
  ask().catch((error: unknown) => onChange(failure(error)))
  return () => void askAgain.delete(ask)
}

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
    // Without IndexedDB there is no outbox.
    error: () => undefined,
  })
  return () => subscription.unsubscribe()
}

const isUndecided = (state: string) => state === 'conflict' || state === 'rejected'

/** Pulls from the server now. */
export const refreshLibrary = (): Promise<void> => pull()

/** The replica as it is now; undefined where there is none. */
export const readLibrary = async (): Promise<Library | undefined> => {
  const rows = (await hasStorage(appDatabase())) ? await readTeachings() : undefined
  return rows && { status: 'ready', rows }
}

/** The Sync button: sends the outbox and the uploads, pulls, and verifies the replica against the server's digest. */
export async function synchronize(): Promise<void> {
  const { outbox, uploads } = pageQueues()
  uploads.retryNow()
  // An entry that cannot be sent shows it in its own row.
  await outbox.sendNow().catch(() => undefined)
  await pull({ verify: true })
}

async function pull(options?: { verify: boolean }): Promise<void> {
  if (await hasStorage(appDatabase())) await syncSession().pull(options)
  else await Promise.all([...askAgain].map((ask) => ask()))
}
