/** Functions that run in a page of an engine: they see its globals alone. */

/** Ends the session on the server, as its expiry does; the page learns of it when it asks. */
export async function endSession(): Promise<void> {
  const { csrfToken } = (await (await fetch('/api/csrf-token')).json()) as { csrfToken: string }
  const headers = { 'x-csrf-token': csrfToken, 'content-type': 'application/json' }
  await fetch('/api/auth/logout', { method: 'POST', headers, body: '{}' })
  dispatchEvent(new Event('online'))
}

/** A later version of the database is opened, as by the next release in another tab. */
export const upgradeElsewhere = () =>
  new Promise<void>((resolve, reject) => {
    const request = indexedDB.open('app', 9000)
    request.onsuccess = () => (request.result.close(), resolve())
    request.onerror = () => reject(new Error('not opened'))
  })

/** Presses a button twice before the page can react, as a double click does. */
export function pressTwice(words: string): void {
  const found = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === words)
  found!.click()
  found!.click()
}

/** The types of the cached photos. */
export async function cachedTypes(): Promise<(string | null)[]> {
  const cache = await caches.open('pictures')
  const photos = (await cache.keys()).filter(({ url }) => url.includes('/images/'))
  const answers = await Promise.all(photos.map((request) => cache.match(request)))
  return answers.map((answer) => answer!.headers.get('content-type'))
}

/** Whether a photo is shown; scrolls to the photos, which are loaded only then. */
export function hasPhoto(): boolean {
  document.querySelector('h3')?.scrollIntoView()
  return [...document.querySelectorAll('img')].some(
    ({ src, complete, naturalWidth }) => src.includes('/images/') && complete && naturalWidth > 0,
  )
}

export async function dropBuild(): Promise<void> {
  for (const name of await caches.keys()) if (name.includes('precache')) await caches.delete(name)
}

/** Looks for an update, as an installed app does when it becomes visible. */
export const lookForUpdate = async () => void (await (await navigator.serviceWorker.ready).update())

export async function newVersions(): Promise<{ installing: boolean; waiting: boolean }> {
  const { installing, waiting } = await navigator.serviceWorker.ready
  return { installing: installing !== null, waiting: waiting !== null }
}

export const buildName = () => document.querySelector<HTMLMetaElement>('meta[name=build]')?.content ?? 'first'
