import type { Dexie } from 'dexie'

/** Another tab runs a newer build that changed the shape of rows: this page must be reloaded before it writes. */
export class OutdatedPage extends Error {
  override readonly name = 'OutdatedPage'
  constructor() {
    super('The app was updated. Reload this page.')
  }
}

/**
 * outdated: a newer build in another tab upgraded the databases; this page has closed them and can only be reloaded ·
 * blocked: this page is the newer one and waits for others to close theirs
 */
export type DatabaseTrouble = 'outdated' | 'blocked'

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
