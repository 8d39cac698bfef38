import type { Database } from './connection.ts'
import { reserveConnection } from './connection.ts'

/**
 * Runs a job when its last run is `days` ago, in one process at a time. A run that fails counts as none.
 *
 * @returns whether it ran
 */
export async function runWhenDue(
  sql: Database,
  { name, days }: { name: string; days: number },
  work: () => Promise<void>,
): Promise<boolean> {
  const done = await withChoreLock(sql, name, async () => {
    const [recent] = await sql`
      select 1 from chore_runs where name = ${name}
        and ran_at between now() - make_interval(days => ${days}) and now()`
    if (recent) return false
    await work()
    await sql`insert into chore_runs (name, ran_at) values (${name}, now())
      on conflict (name) do update set ran_at = excluded.ran_at`
    return true
  })
  return done ?? false
}

/** Runs the work under an advisory lock of its own connection; undefined where another process holds the lock. */
export async function withChoreLock<T>(
  sql: Database,
  name: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const connection = await reserveConnection(sql)
  try {
    const [row] = await connection.sql<{ mine: boolean }[]>`
      select pg_try_advisory_lock(hashtext(${name})) as mine`
    return row?.mine ? await work() : undefined
  } finally {
    await connection.release()
  }
}
