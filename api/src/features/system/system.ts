import type { Context } from '../../context.ts'

/** Whether this process can serve: not draining, and PostgreSQL answers within two seconds. */
export async function isReady({ sql, lifecycle }: Context): Promise<'ok' | 'draining' | 'unavailable'> {
  if (lifecycle.draining) return 'draining'
  const answered = sql`select 1`.then(
    () => true,
    () => false,
  )
  return (await Promise.race([answered, after(2000)])) ? 'ok' : 'unavailable'
}

const after = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms).unref())
