import { fewestHeld, sweepShare, type SweepName } from '@fellowship/schema/system/age-sweeps'
import type { Database, Sql } from './connection.ts'

/**
 * Whether a removal by age may run. It may not while a jump of the clock is unconfirmed, nor if it would remove more than
 * a fifth of the rows; then it is noted for System Info, until an administrator presses Go on.
 *
 * @param due how many it would remove, of `total`
 */
export async function maySweep(
  sql: Sql,
  { name, due, total }: { name: SweepName; due: number; total: number },
): Promise<boolean> {
  const [state] = await sql<{ jumped: boolean; allowed: boolean }[]>`select
    exists (select 1 from clock_watch where jumped_at is not null) as jumped,
    exists (select 1 from held_sweeps where name = ${name}
      and allowed_at between now() - interval '1 day' and now()) as allowed`
  const { jumped, allowed } = state!
  const isLarge = due > Math.max(total * sweepShare, fewestHeld)
  if (due === 0 || (!jumped && (!isLarge || allowed))) {
    await sql`delete from held_sweeps where name = ${name}`
    return due > 0
  }
  await sql`insert into held_sweeps (name, due, total) values (${name}, ${due}, ${total})
    on conflict (name) do update set due = excluded.due, total = excluded.total, allowed_at = null`
  return false
}

/** Stopped removals, and the unconfirmed jump of the clock. */
export interface SweepState {
  held: { name: SweepName; due: number; total: number }[]
  /** Seconds; negative for a jump back. Null if there was none. */
  jumpedBy: number | null
  /** The database's clock, by which ages are judged. */
  now: Date
}

export async function sweepState(sql: Sql): Promise<SweepState> {
  const held = await sql<SweepState['held']>`
    select name, due, total from held_sweeps where allowed_at is null order by name`
  const [watch] = await sql<Pick<SweepState, 'jumpedBy' | 'now'>[]>`
    select clock_timestamp() as now, (select jumped_by from clock_watch where jumped_at is not null)`
  return { held: [...held], ...watch! }
}

/** Confirms the clock; stopped removals continue with their next run. */
export async function letSweepsGoOn(sql: Sql): Promise<void> {
  await sql`update clock_watch set jumped_at = null, jumped_by = null`
  await sql`update held_sweeps set allowed_at = now()`
}

/**
 * Watches the database's clock for jumps: against this process's own steady clock, and across restarts against the time that
 * was seen last, which may not lie in the future.
 *
 * @param steady milliseconds from a monotonic clock
 * @returns the function to call regularly, and before the first removal by age
 */
export function clockWatch(sql: Database, steady = () => performance.now()): () => Promise<void> {
  let last: { now: number; steady: number } | undefined
  return async () => {
    const before = steady()
    const [row] = await sql<{ now: Date; seen: Date | null }[]>`
      select clock_timestamp() as now, (select seen_at from clock_watch) as seen`
    const now = row!.now.getTime()
    const expected = last ? last.now + (before - last.steady) : Math.max(now, row!.seen?.getTime() ?? 0)
    last = { now, steady: before }
    const jumpMs = now - expected
    const seen = {
      seenAt: row!.now,
      ...(Math.abs(jumpMs) > jumpLimitMs && { jumpedAt: row!.now, jumpedBy: jumpMs / 1000 }),
    }
    await sql`insert into clock_watch ${sql(seen)} on conflict (one) do update set ${sql(seen)}`
  }
}

const jumpLimitMs = 60 * 60_000
