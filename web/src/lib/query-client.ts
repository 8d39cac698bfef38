import { auth } from '@fellowship/schema/auth/auth.contract'
import { MutationCache, QueryClient } from '@tanstack/react-query'
import { handleUnauthorized } from './unauthorized.ts'

/** Data is stale at once and discarded when unused; nothing is retried or held back while offline. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // 'always': offline, a call fails at once with its message instead of being paused.
    queries: { staleTime: 0, gcTime: 0, retry: false, networkMode: 'always' },
    mutations: { gcTime: 0, retry: false, networkMode: 'always' },
  },
  mutationCache: new MutationCache({ onError: (error) => handleUnauthorized(error, refetchUser) }),
})

const refetchUser = () => void queryClient.invalidateQueries({ queryKey: [auth.currentUser.path] })
