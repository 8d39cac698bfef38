import type { AppDatabase } from '../client/database/app-database.ts'
import type { AudioDatabase } from '../client/database/audio-database.ts'
import type { UploadDatabase } from '../client/database/upload-database.ts'

/** Thrown where the power went out. */
class PowerCut extends Error {
  override readonly name = 'PowerCut'
}

/**
 * Cuts the power at the `after`-th write from now: the transaction under way is lost, those before it stand,
 * and nothing of this page runs on.
 */
export function cutPowerAt(db: AppDatabase | AudioDatabase | UploadDatabase, after: number): void {
  failWrites(db, 'power', after, Infinity, () => new PowerCut())
}

/** The device is full at the `after`-th write from now, and has room again after `times` refusals. */
export function fillDeviceAt(
  db: AppDatabase | AudioDatabase | UploadDatabase,
  after: number,
  times: number,
): void {
  failWrites(db, 'quota', after, times, () => new DOMException('The device is full', 'QuotaExceededError'))
}

function failWrites(
  db: AppDatabase | AudioDatabase | UploadDatabase,
  name: string,
  after: number,
  times: number,
  error: () => Error,
): void {
  let left = after
  let failures = times
  // Dexie weaves its middleware in when a database is opened, and not into one that is open.
  if (db.isOpen()) db.close({ disableAutoOpen: false })
  db.use({
    stack: 'dbcore',
    name,
    create: (core) => ({
      ...core,
      table: (tableName) => {
        const table = core.table(tableName)
        return {
          ...table,
          mutate: (request) => {
            left -= 1
            if (left >= 0 || failures <= 0) return table.mutate(request)
            failures -= 1
            return Promise.reject(error())
          },
        }
      },
    }),
  })
}
