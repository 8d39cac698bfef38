import { useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * Whether /teaching is still where the reader wants to be. On a slow line it stays on the screen while the next page is
 * fetched: what it writes into the address then would take them back.
 */
export function useIsHere(): () => boolean {
  const { history } = useRouter()
  return useCallback(() => /^\/teaching\/?$/.test(history.location.pathname), [history])
}
