/**
 * Lets go of the copies of the site's own files that this browser keeps, and has its worker look for a newer version.
 * Saved recordings, changes that wait to be sent and half-sent uploads live in databases, which are not touched.
 */
export async function clearFrontendCache(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.map((name) => caches.delete(name)))
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? []
  // With its cache gone the worker would show pages it cannot complete: the next load installs it anew.
  await Promise.all(registrations.map((registration) => registration.unregister()))
}
