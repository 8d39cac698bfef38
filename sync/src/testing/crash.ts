import type { AppDatabase } from '../client/database.ts'

/** Thrown where the power went out. */
export class PowerCut extends Error {
  override readonly name = 'PowerCut'
}

/**
 * Cuts the power at the `after`-th write from now: the transaction under way is lost, those before it stand,
 * and nothing of this page runs on.
 */
export function cutPowerAt(db: AppDatabase, after: number): void {
  let left = after
  db.use({
    stack: 'dbcore',
    name: 'power',
    create: (core) => ({
      ...core,
      table: (name) => {
        const table = core.table(name)
        return {
          ...table,
          mutate: (request) => {
            left -= 1
            return left < 0 ? Promise.reject(new PowerCut()) : table.mutate(request)
          },
        }
      },
    }),
  })
}
