import { useRouter, useRouterState } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * Returns a function that checks whether /teaching is still the requested page. On a slow connection it stays on the
 * screen until the next page is fetched; if it changed the address then, the user would be taken back. The function
 * changes with every requested page, so that effects run again when the user returns.
 */
export function useIsLibraryWanted(): () => boolean {
  const { history } = useRouter()
  const wanted = useRouterState({ select: ({ location }) => location.pathname })
  return useCallback(
    // The history changes a moment before the router.
    () => [wanted, history.location.pathname].every((path) => /^\/teaching\/?$/.test(path)),
    [wanted, history],
  )
}
