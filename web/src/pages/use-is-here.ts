import { useRouter, useRouterState } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * Whether /teaching is still where the reader wants to be. On a slow line it stays on the screen while the next page is
 * fetched: what it writes into the address then would take them back. Another function with every page they turn to, so
 * that what was held back is done once they turn back.
 */
export function useIsHere(): () => boolean {
  const { history } = useRouter()
  const wanted = useRouterState({ select: ({ location }) => location.pathname })
  return useCallback(
    // The router hears of a page a moment after the history.
    () => [wanted, history.location.pathname].every((path) => /^\/teaching\/?$/.test(path)),
    [wanted, history],
  )
}
