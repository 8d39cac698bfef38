import { liveQuery } from '../database/device-database.ts'

/**
 * Dexie's `liveQuery` that survives errors: a live query ends at its first failed read, and without an error if the
 * browser closed the database. This one subscribes again after a second.
 *
 * @param failed called at each failed read
 * @returns stops watching
 */
export function watch<T>(
  read: () => PromiseLike<T>,
  next: (value: T) => void,
  failed: (error: unknown) => unknown = () => undefined,
): () => void {
  let isOver = false
  let again: ReturnType<typeof setTimeout> | undefined
  let end = () => {}
  const begin = () => {
    end()
    again = undefined
    const live = liveQuery(async () => {
      try {
        return await read()
      } catch (error) {
        if (!isOver) {
          again ??= setTimeout(begin, resubscribeMs)
          failed(error)
        }
        throw error
      }
    }).subscribe({ next, error: () => {} })
    end = () => live.unsubscribe()
  }
  begin()
  return () => {
    isOver = true
    clearTimeout(again)
    end()
  }
}

const resubscribeMs = 1_000

/** Calls back when the rows of a live query differ from the last ones by their keys; at most once for the same keys. */
export function whenOthers<Row>(
  keyOf: (row: Row) => string,
  then: () => void,
): (rows: readonly Row[]) => void {
  let before = ''
  return (rows) => {
    const keys = rows.map(keyOf).sort().join()
    if (keys !== before) then()
    before = keys
  }
}
