import { MutationCache, QueryClient } from '@tanstack/react-query'
import { handleUnauthorized } from './unauthorized.ts'

/** SPEC §4: data is stale at once, discarded at once when unused, nothing is retried by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 0, gcTime: 0, retry: false },
    // Offline a change fails at once with its sentence instead of waiting unseen.
    mutations: { gcTime: 0, retry: false, networkMode: 'always' },
  },
  mutationCache: new MutationCache({ onError: handleUnauthorized }),
})
