import type { AppDatabase } from '../client/database/app-database.ts'
import type { AudioDatabase } from '../client/database/audio-database.ts'
import type { UploadDatabase } from '../client/database/upload-database.ts'

/** Thrown by the write at which the power is cut. */
class PowerCut extends Error {
  override readonly name = 'PowerCut'
}

/**
 * Cuts the power after `after` more writes: the running transaction is lost, committed ones remain, and every later
 * write fails.
 */
export function cutPowerAt(db: AppDatabase | AudioDatabase | UploadDatabase, after: number): void {
  failWrites(db, 'power', after, Infinity, () => new PowerCut())
}

/** Reports a full device after `after` more writes; there is room again after `times` failed writes. */
export function fillDeviceAt(
  db: AppDatabase | AudioDatabase | UploadDatabase,
  after: number,
  times: number,
): void {
  failWrites(db, 'quota', after, times, () => new DOMException('The device is full', 'QuotaExceededError'))
}

/** Reports a full device at each write of a chunk for as long as `isFull`; deleting frees nothing. Call it before the opening. */
export function fillDeviceWhile(db: AudioDatabase, isFull: () => boolean): void {
  db.use({
    stack: 'dbcore',
    name: 'full',
    create: (core) => ({
      ...core,
      table: (tableName) => {
        const table = core.table(tableName)
        return {
          ...table,
          mutate: (request) =>
            tableName === 'chunks' && ['add', 'put'].includes(request.type) && isFull()
              ? Promise.reject(new DOMException('The device is full', 'QuotaExceededError'))
              : table.mutate(request),
        }
      },
    }),
  })
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
  // Dexie installs middleware only when it opens a database, so an open one has to be closed.
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
