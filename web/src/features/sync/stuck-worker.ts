/** A first worker that caches no file for so many milliseconds is stuck. */
const stuckAfterMs = 5_000

/**
 * WebKit never finishes a worker whose page was left for another site right after registering it, until the browser ends or
 * its registration is removed. What was cached stays cached. (A page loaded anew from the same site in that very moment is
 * not helped: there WebKit does not answer the removal either.)
 *
 * @param worker one that another page registered
 * @returns whether it was removed
 */
export async function removeIfStuck(worker: ServiceWorker): Promise<boolean> {
  let cached: number
  do {
    cached = await cachedFiles()
    await new Promise((done) => setTimeout(done, stuckAfterMs))
    if (worker.state !== 'installing') return false
  } while ((await cachedFiles()) > cached)
  const registration = await navigator.serviceWorker.getRegistration()
  return (await registration?.unregister()) ?? false
}

async function cachedFiles(): Promise<number> {
  const names = await caches.keys()
  const files = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
  return files.flat().length
}
