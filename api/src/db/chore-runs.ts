import type { Database } from './connection.ts'
import type { Locks } from './locks.ts'

/**
 * Runs a job when its last run is `days` ago, in one process at a time. A run that fails counts as none.
 *
 * @returns whether it ran
 */
export async function runWhenDue(
  { sql, locks }: { sql: Database; locks: Locks },
  { name, days }: { name: string; days: number },
  work: () => Promise<void>,
): Promise<boolean> {
  const done = await locks.tryRun(`chore ${name}`, async () => {
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
