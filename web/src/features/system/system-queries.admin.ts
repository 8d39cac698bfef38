import { audio } from '@fellowship/schema/audio/audio.contract'
import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import type { BodyOf } from '@fellowship/schema/endpoint'
import { system } from '@fellowship/schema/system/system.contract'
import { systemTexts } from '@fellowship/schema/system/system.texts'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery, refresh } from '../../lib/admin-query.ts'

export const useSystemInfo = adminQuery(system.info)

export const useAudioStats = adminQuery(audio.stats)

export const useCopies = adminQuery(copies.status)

export const useChangeCopies = adminMutation({
  call: (body: BodyOf<typeof copies.change>) => call(copies.change, { body }),
  failure: copyTexts.changeFailed,
  invalidates: [copies.status, system.info],
  pendingUntilRefreshed: true,
})

export const useRetryCopies = adminMutation({
  call: () => call(copies.retry),
  failure: copyTexts.changeFailed,
  invalidates: [copies.status, system.info],
  pendingUntilRefreshed: true,
})

export async function refreshStatistics(): Promise<void> {
  await Promise.all([
    refresh(audio.stats, audioTexts.statisticsFetchFailed),
    refresh(system.info, systemTexts.fetchFailed),
  ])
}

export const useCleanup = adminMutation({
  call: () => call(audio.cleanup),
  success: ({ deleted, errors }) => audioTexts.cleanupComplete(deleted.length, errors.length),
  failure: audioTexts.cleanupFailed,
  invalidates: [audio.stats],
})

/** Confirms the server's clock and resumes removals by age. */
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

/**
 * Deletes the cached files of the site and unregisters the service worker. Saved recordings, the outbox and the upload
 * queue are in IndexedDB and are not touched.
 */
async function clearFrontendCache(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.map((name) => caches.delete(name)))
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? []
  // Without its cache the worker would serve incomplete pages; the next load installs it again.
  await Promise.all(registrations.map((registration) => registration.unregister()))
}
