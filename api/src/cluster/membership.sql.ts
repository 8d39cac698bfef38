import type { Sql } from '../db/connection.ts'
import type { Locks } from '../db/locks.ts'
import type { RunningProcess } from './process-refusals.ts'

/** The other processes that have sent a heartbeat lately, the one of longest silence first. */
export const othersSeen = (sql: Sql, owner: string): Promise<RunningProcess[]> => sql<RunningProcess[]>`
  select owner, workshop, host, bucket, secret_check, stopping from server_processes
  where owner <> ${owner} and ${isSeen(sql)} order by seen_at`

/** A heartbeat; the first one adds the process. Of later ones only what may change is taken. */
export async function noteProcess(sql: Sql, process: RunningProcess): Promise<void> {
  await sql`insert into server_processes ${sql({ ...process })}
    on conflict (owner) do update set seen_at = clock_timestamp(), stopping = excluded.stopping`
}

/** Removes a process, and with it its leases. */
export async function removeProcess(sql: Sql, owner: string): Promise<void> {
  await sql`delete from server_processes where owner = ${owner}`
}

/** Whether the process has a lease now: its own, one that nobody had, or that of a holder which is not seen any more. */
export async function takeLease(sql: Sql, name: string, owner: string): Promise<boolean> {
  const taken = await sql`
    insert into leases as kept (name, holder) values (${name}, ${owner})
    on conflict (name) do update set holder = excluded.holder
      where kept.holder = excluded.holder or not exists (
        select 1 from server_processes where owner = kept.holder and ${isSeen(sql)})`
  return taken.count > 0
}

/** Whether a process serves with this data folder. One that was killed does not, from that moment on. */
export async function isWorkshopServed(
  { sql, locks }: { sql: Sql; locks: Pick<Locks, 'isAlive'> },
  workshop: string,
): Promise<boolean> {
  const seen = await sql<{ owner: string }[]>`
    select owner from server_processes where workshop = ${workshop} and ${isSeen(sql)}`
  for (const { owner } of seen) if (await locks.isAlive(owner)) return true
  return false
}

/** Forgets processes that ended long ago without saying so. */
export async function forgetEndedProcesses(sql: Sql): Promise<void> {
  await sql`delete from server_processes where seen_at < clock_timestamp() - interval '1 day'`
}

/** Fewer than three heartbeats are missing. */
const isSeen = (sql: Sql) => sql`seen_at > clock_timestamp() - interval '30 seconds'`
