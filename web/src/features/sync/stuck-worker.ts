/** A first worker that has cached no file for this many milliseconds is stuck. */
const stuckAfterMs = 5_000

/**
 * If a page is left for another site right after it registered a worker, WebKit never finishes that worker until the
 * browser quits or its registration is removed. Cached files stay cached. (It does not help a page of the same site that
 * loads at that very moment: WebKit does not complete the removal either.)
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
