import { audio } from '@fellowship/schema/audio/audio.contract'
import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import type { BodyOf } from '@fellowship/schema/endpoint'
import { system } from '@fellowship/schema/system/system.contract'
import { systemTexts } from '@fellowship/schema/system/system.texts'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery, refresh } from '../../lib/admin-query.ts'
import { clearFrontendCache } from './clear-cache.ts'

/** Version, uptime, memory, and the health of each part. */
export const useSystemInfo = adminQuery(system.info)

/** How many people, elders and recordings there are, and which files nothing refers to. */
export const useAudioStats = adminQuery(audio.stats)

/** How far the small copies of recordings are. */
export const useCopies = adminQuery(copies.status)

/** Pauses or resumes the making of small copies, and puts them into backups or leaves them out. */
export const useChangeCopies = adminMutation({
  call: (body: BodyOf<typeof copies.change>) => call(copies.change, { body }),
  failure: copyTexts.changeFailed,
  invalidates: [copies.status, system.info],
  pendingUntilRefreshed: true,
})

/** Tries the failed ones again. */
export const useRetryCopies = adminMutation({
  call: () => call(copies.retry),
  failure: copyTexts.changeFailed,
  invalidates: [copies.status, system.info],
  pendingUntilRefreshed: true,
})

/** Requests both anew. */
export async function refreshStatistics(): Promise<void> {
  await Promise.all([
    refresh(audio.stats, audioTexts.statisticsFetchFailed),
    refresh(system.info, systemTexts.fetchFailed),
  ])
}

/** Deletes recordings that nothing refers to. */
export const useCleanup = adminMutation({
  call: () => call(audio.cleanup),
  success: ({ deleted, errors }) => audioTexts.cleanupComplete(deleted.length, errors.length),
  failure: audioTexts.cleanupFailed,
  invalidates: [audio.stats],
})

/** Confirms the server's clock and lets removals by age go on. */
export const useGoOn = adminMutation({
  call: () => call(system.goOn),
  success: () => systemTexts.goesOn,
  failure: systemTexts.goOnFailed,
  invalidates: [system.info],
  pendingUntilRefreshed: true,
})

export const useClearCache = adminMutation({
  call: clearFrontendCache,
  success: () => systemTexts.cacheCleared,
  failure: systemTexts.cacheClearFailed,
})
