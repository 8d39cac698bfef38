import { audio } from '@fellowship/schema/audio/audio.contract'
import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import { system } from '@fellowship/schema/system/system.contract'
import { systemTexts } from '@fellowship/schema/system/system.texts'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { showToast } from '../../ui/toast.ts'
import { clearFrontendCache } from './clear-cache.ts'

const statsKey = [audio.stats.path] as const
const infoKey = [system.info.path] as const

/** What runs, and how everything stands. */
export const useSystemInfo = () =>
  useQuery(
    { queryKey: infoKey, queryFn: ({ signal }) => call(system.info, { signal }), networkMode: 'always' },
    queryClient,
  )

/** People, elders, recordings and what nothing refers to. */
export const useAudioStats = () =>
  useQuery(
    { queryKey: statsKey, queryFn: ({ signal }) => call(audio.stats, { signal }), networkMode: 'always' },
    queryClient,
  )

export async function refreshStatistics(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: statsKey }),
    queryClient.invalidateQueries({ queryKey: infoKey }),
  ])
}

/** Deletes recordings that nothing refers to. */
export const useCleanup = () =>
  useMutation(
    {
      mutationFn: () => call(audio.cleanup),
      onSuccess: ({ deleted, errors }) => {
        showToast(audioTexts.cleanupComplete(deleted.length, errors.length))
        void queryClient.invalidateQueries({ queryKey: ['/api/audio-management/orphaned'] })
        void queryClient.invalidateQueries({ queryKey: statsKey })
      },
      onError: (error) => {
        // The sign-in toast stands for itself and would be replaced at once.
        if (isUnauthorized(error)) return
        const description = sentenceOfError(error)
        showToast({ title: audioTexts.cleanupFailed, description, kind: 'destructive' })
      },
    },
    queryClient,
  )

export const useClearCache = () =>
  useMutation(
    {
      mutationFn: clearFrontendCache,
      onSuccess: () => showToast(systemTexts.cacheCleared),
      onError: (error) =>
        showToast({
          title: systemTexts.cacheClearFailed,
          description: sentenceOfError(error),
          kind: 'destructive',
        }),
    },
    queryClient,
  )
