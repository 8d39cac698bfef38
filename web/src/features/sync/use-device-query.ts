import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect, useReducer, useRef } from 'react'

/**
 * A live query that returns its last result while the database cannot be read, for example when the system has closed it,
 * and retries after a second. Mount it again for another user.
 *
 * @param initial before the first result
 */
export function useDeviceQuery<Result>(
  read: () => PromiseLike<Result>,
  deps: readonly unknown[],
  initial: Result,
): Result {
  const last = useRef(initial)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [round, readAgain] = useReducer((count: number) => count + 1, 0)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useLiveQuery(
    async () => {
      try {
        last.current = await read()
      } catch {
        clearTimeout(timer.current)
        timer.current = setTimeout(readAgain, readAgainMs)
      }
      return last.current
    },
    [...deps, round],
    initial,
  )
}

const readAgainMs = 1_000
