import { liveQuery } from '../database/live-query.ts'

/**
 * As Dexie's `liveQuery`, for loops that sleep until it tells them something: one whose reading fails once listens to
 * nothing any more, and where the browser closed the database it does not even say so. This one looks again.
 *
 * @returns ends it
 */
export function watch<T>(read: () => PromiseLike<T>, next: (value: T) => void): () => void {
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
        if (!isOver) again ??= setTimeout(begin, afterFaultMs)
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

const afterFaultMs = 1_000
