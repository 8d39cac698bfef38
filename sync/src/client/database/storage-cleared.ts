import { Dexie, RangeSet } from 'dexie'

/** Runs every live query of this page again: rows changed, or are gone, without a report by Dexie. */
export function rereadAll(): void {
  Dexie.ignoreTransaction(() => {
    // Else the queries would be answered from the results before.
    for (const part of Object.keys(Dexie.cache)) delete Dexie.cache[part]
    Dexie.on.storagemutated.fire({ all: new RangeSet(-Infinity, [[]]) })
  })
}

/**
 * Calls back when the browser, or other code of this site, deletes a database or closes its connection. Dexie opens it again
 * at the next query, and reports nothing to live queries.
 */
export function whenCleared(db: Dexie, then: () => void): void {
  db.on('versionchange', ({ newVersion }) => {
    // Once Dexie has closed the connection: a query through it would still find the rows.
    if (!newVersion) queueMicrotask(then)
  })
  db.on(
    'ready',
    () => {
      db.backendDB().addEventListener('close', then)
    },
    // At every opening.
    true,
  )
}
