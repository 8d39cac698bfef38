import type { Dexie } from 'dexie'

/** A newer build has changed the shape of rows, so this page must not write any more. */
export class OutdatedPage extends Error {
  override readonly name = 'OutdatedPage'
  constructor(trouble: 'outdated' | 'older') {
    super(
      trouble === 'outdated'
        ? 'The app was updated. Reload this page.'
        : 'A newer version of the app was used on this device.',
    )
  }
}

/**
 * outdated: a newer build in another tab upgraded the databases while this page was open; it can only be reloaded · older: a
 * newer build had upgraded them before, as after a rollback; this page can read · blocked: this page is the newer one and
 * waits for others to close theirs
 */
export type DatabaseTrouble = 'outdated' | 'older' | 'blocked'

const listeners = new Set<(trouble: DatabaseTrouble) => void>()
let trouble: DatabaseTrouble | undefined

export const databaseTrouble = (): DatabaseTrouble | undefined => trouble

/** Calls back at trouble, at once if it came before; returns the way to stop listening. */
export function onDatabaseTrouble(listener: (trouble: DatabaseTrouble) => void): () => void {
  listeners.add(listener)
  if (trouble) listener(trouble)
  return () => listeners.delete(listener)
}

export function reportTrouble(next: DatabaseTrouble): void {
  trouble = next
  for (const listener of listeners) listener(next)
}

/**
 * Otherwise Dexie would open again by itself, at a newer version if there is one, and this build would continue to write
 * into an unknown shape.
 */
export function closeOnNewerVersion(db: Dexie, onOutdated: () => void): void {
  db.on('versionchange', ({ newVersion }) => {
    // Without a version the site's data is being cleared: the database is created again when it is needed.
    const cleared = !newVersion
    db.close({ disableAutoOpen: !cleared })
    if (!cleared) onOutdated()
    return false
  })
  db.on('blocked', () => {
    reportTrouble('blocked')
    return false
  })
}
