import type { Database } from '../db/connection.ts'

/** The same database, which counts the statements that match, also those in transactions. */
export function countedSql(sql: Database, pattern: RegExp): { sql: Database; count: () => number } {
  let count = 0
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      apply(called, self, args: unknown[]) {
        const [first] = args
        if (Array.isArray(first) && 'raw' in first && pattern.test(first.join('?'))) count += 1
        return Reflect.apply(called as (...all: unknown[]) => unknown, self, args)
      },
      get(owner, name) {
        const value = Reflect.get(owner, name) as unknown
        if (name !== 'begin') return value
        return (...args: unknown[]) => {
          const work = args.pop() as (tx: object) => unknown
          const begin = value as (...all: unknown[]) => unknown
          return Reflect.apply(begin, owner, [...args, (tx: object) => work(counted(tx))])
        }
      },
    })
  return { sql: counted(sql), count: () => count }
}
