import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appDatabase, type OutboxEntry } from '@fellowship/sync/client/database/app-database'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { decide, discard, readShownOutbox, tryAgain } from '@fellowship/sync/client/outbox/outbox'

import { isSame, type Words } from '@fellowship/sync/protocol/merge'
import { useDeviceQuery } from './use-device-query.ts'

export { isSame, type OutboxEntry }
/** The fields as a person decided them. */
export type Decided = Words

/** This user's outbox entries, oldest first. For live queries. */
export const readEntries = (userId: number | undefined): Promise<readonly OutboxEntry[]> =>
  readShownOutbox(appDatabase(), userId)

/** How many recordings are queued here until sign-in; 0 while signed in. For live queries. */
export async function countUnownedUploads(userId: number | undefined): Promise<number> {
  if (userId !== undefined) return 0
  return uploadDatabase()
    .jobs.filter(({ ownerUserId, state, unconfirmed }) =>
      ownerUserId === null || unconfirmed ? state !== 'cancelled' : state === 'blocked_auth',
    )
    .count()
}

/** Resolves an entry as the user decided: overwrite with these fields, retry, or discard. */
export async function resolveEntry(
  { mutationId }: OutboxEntry,
  decision: Parameters<typeof decide>[2] | 'again' | 'discard',
): Promise<void> {
  const db = appDatabase()
  if (decision === 'again') await tryAgain(db, mutationId)
  else if (decision === 'discard') await discard(db, mutationId)
  else await decide(db, mutationId, decision)
}

export function useTeachingTitles(uids: readonly string[]): ReadonlyMap<string, string> {
  const rows = useDeviceQuery<readonly Teaching[]>(
    async () => (await appDatabase().teachings.bulkGet([...uids])).flatMap((row) => row ?? []),
    [uids.join()],
    [],
  )
  return new Map(rows.map((row) => [row.uid, shownTitle(row)]))
}
