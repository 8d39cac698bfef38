/**
 * Deletes the cached files of the site and unregisters the service worker. Saved recordings, the outbox and the upload
 * queue are in IndexedDB and are not touched.
 */
export async function clearFrontendCache(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.map((name) => caches.delete(name)))
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? []
  // Without its cache the worker would serve incomplete pages; the next load installs it again.
  await Promise.all(registrations.map((registration) => registration.unregister()))
}
