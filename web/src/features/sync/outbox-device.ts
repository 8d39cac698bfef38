import { appDatabase, type OutboxEntry } from '@fellowship/sync/client/database/app-database'
import { liveQuery } from '@fellowship/sync/client/database/live-query'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { decide, discard, readShownOutbox, tryAgain } from '@fellowship/sync/client/outbox/outbox'

export type { OutboxEntry }

/** Tells what of this person's changes waits on this device, oldest first, now and after every change. */
export function watchOutbox(
  userId: number | undefined,
  onChange: (entries: readonly OutboxEntry[]) => void,
): () => void {
  const subscription = liveQuery(() => readShownOutbox(appDatabase(), userId)).subscribe({
    next: onChange,
    // Without a database nothing waits in it.
    error: () => undefined,
  })
  return () => subscription.unsubscribe()
}

/** Tells how many recordings wait here for somebody to sign in. */
export function watchUnownedUploads(onChange: (count: number) => void): () => void {
  const read = () =>
    uploadDatabase()
      .jobs.filter(({ ownerUserId, state }) =>
        ownerUserId === null ? state !== 'cancelled' : state === 'blocked_auth',
      )
      .count()
  const subscription = liveQuery(read).subscribe({ next: onChange, error: () => undefined })
  return () => subscription.unsubscribe()
}

/** A person's word on an entry: what the teaching should be, that it goes all the same, another try, or nothing. */
export async function answer(
  { mutationId }: OutboxEntry,
  word: Parameters<typeof decide>[2] | 'again' | 'discard',
): Promise<void> {
  const db = appDatabase()
  if (word === 'again') await tryAgain(db, mutationId)
  else if (word === 'discard') await discard(db, mutationId)
  else await decide(db, mutationId, word)
}
