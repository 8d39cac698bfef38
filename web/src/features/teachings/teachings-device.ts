import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { teachingListFreshMs } from '@fellowship/schema/teachings/teachings.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { call } from '@fellowship/sync/call/call'
import { NetworkError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { snapshotRows } from '@fellowship/sync/client/apply-page'
import { appDatabase, liveQuery } from '@fellowship/sync/client/database'
import { readShownOutbox, withPending } from '@fellowship/sync/client/outbox'
import { syncSession } from '@fellowship/sync/client/sync-session'
import { newestFirst, readTeachings } from '@fellowship/sync/client/teachings.store'
import type { Library, Pending } from './library.ts'

/**
 * Tells the library from the device's copy, at once and after every change, and brings the copy up to date where it
 * is older than SPEC's 5 minutes. On a first visit the rows are shown while they are still being written. A browser
 * that keeps nothing for the site is served from the line alone.
 */
export function watchLibrary(onChange: (library: Library) => void): () => void {
  const session = syncSession()
  let shown = false
  const show = (library: Library) => {
    shown = true
    onChange(library)
  }
  const failed = (error: unknown) => {
    if (shown) return
    const sentence = teachingTexts.fetchFailed(sentenceOfError(error))
    onChange({ status: 'failed', sentence, offline: error instanceof NetworkError })
  }
  const subscription = liveQuery(() => readTeachings()).subscribe({
    next: (rows) => rows && show({ status: 'ready', rows }),
    error: () => void fetchLibrary().then(show, failed),
  })
  const stopPreview = session.onSnapshot((page) => {
    if (shown) return
    const rows = snapshotRows(page, 'teaching') as unknown as Teaching[]
    show({ status: 'ready', rows: rows.sort(newestFirst) })
  })
  session.pullIfOlder(teachingListFreshMs).catch(failed)
  return () => {
    subscription.unsubscribe()
    stopPreview()
  }
}

/** Tells what of this person's changes waits on this device, at once and after every change. */
export function watchPending(userId: number | undefined, onChange: (pending: Pending) => void): () => void {
  const subscription = liveQuery(() => readShownOutbox(appDatabase(), userId)).subscribe({
    next: (entries) =>
      onChange({
        byUid: new Map(entries.map(({ uid, state }) => [uid, isStuck(state) ? 'stuck' : 'waiting'])),
        on: (rows) => (entries.length === 0 ? rows : withPending(rows, entries).sort(newestFirst)),
      }),
    // Without a database nothing waits in it.
    error: () => undefined,
  })
  return () => subscription.unsubscribe()
}

const isStuck = (state: string) => state === 'conflict' || state === 'rejected'

/** Asks the server now. */
export const refreshLibrary = (): Promise<void> => syncSession().pull()

/** The Sync button: everything new, and the proof that nothing is missing. */
export const synchronize = (): Promise<void> => syncSession().pull({ verify: true })

async function fetchLibrary(): Promise<Library> {
  return { status: 'ready', rows: await call(teachings.list) }
}
