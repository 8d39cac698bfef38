import type { Locator, Page } from 'playwright-core'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call } from '@fellowship/sync/call/call'
import { stateAddress } from '@fellowship/sync/client/pages/prerendered-pages'
import { cookieTransport } from '../../dev/cookie-transport.ts'
import { comesTo, row } from './screens.ts'

/** Console messages while the server is down. */
export const serverDown = [
  /^net::ERR_(CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|SOCKET_NOT_CONNECTED) /,
]

/** Waits until the service worker controls the page and the first sync is done. */
export async function synced(page: Page): Promise<void> {
  // Precaching the site takes long on a busy machine.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, {
    timeout: 90_000,
  })
  await page.getByText(/^Up to date, /).waitFor()
}

/** The cached prerendered library page; undefined if there is none, or if it is of an older sync state. */
export async function cachedLibrary(page: Page, url: string): Promise<string | undefined> {
  const { next } = await call(sync.pull, { query: { schema: clientSchema } }, cookieTransport(url))
  return page.evaluate(
    async ([cursor, at]) => {
      const state = await (await caches.match(at))?.text()
      if (state?.split(' ')[0] !== cursor) return undefined
      return (await caches.match('/teaching', { ignoreVary: true }))?.text()
    },
    [next, stateAddress] as const,
  )
}

/** The save button of a teaching, in any state. */
export const saveControl = (page: Page, title: string): Locator =>
  row(page, title).getByRole('button', { name: new RegExp(`: ${title}$`) })

/** Saves a teaching and waits until it is complete. */
export async function save(page: Page, title: string, timeout?: number): Promise<void> {
  await saveControl(page, title).click()
  await seeState(page, title, 'Saved', timeout)
}

/** Turns off fetching ahead, so that a recording plays from the network, and is missing if there is none. */
export async function fetchNothingAhead(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.setItem('comfort', '{"ahead":"off"}'))
  await page.reload()
  await synced(page)
}

/** Waits until the save button of a teaching has this state. */
export async function seeState(page: Page, title: string, words: string, timeout = 60_000): Promise<void> {
  await row(page, title)
    .getByRole('button', { name: `${words}: ${title}`, exact: true })
    .waitFor({ timeout })
}

/** Deletes the chunks of a saved recording from `first` on, as an eviction does. */
export async function evict(page: Page, { audioUrl }: Teaching, first = 0): Promise<void> {
  await page.evaluate(
    async ([key, index]) => {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open('audio')
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(new Error('not opened'))
      })
      const change = database.transaction('chunks', 'readwrite')
      change.objectStore('chunks').delete(IDBKeyRange.bound([key, index], [key, []]))
      await new Promise((resolve) => (change.oncomplete = resolve))
      database.close()
    },
    [audioUrl!.split(/[/.]/)[2]!, first] as const,
  )
}

/** Seeks the open player to a fraction of the duration, 0 to 1. */
export async function seekTo(page: Page, share: number): Promise<void> {
  const slider = page.getByRole('main').getByRole('slider', { name: 'Position' })
  await comesTo(() => slider.isEnabled(), true)
  const { width, height } = (await slider.boundingBox())!
  await slider.click({ position: { x: width * share, y: height / 2 } })
}

/** Source, position and duration of the audio element, playing or not. */
export const sound = (page: Page) =>
  page.evaluate(() => {
    const audio = document.querySelector('audio')!
    return { src: audio.currentSrc, at: audio.currentTime, of: audio.duration, paused: audio.paused }
  })

/** A hard reload: it bypasses the service worker, which then does not control the page. */
export async function hardReload(page: Page): Promise<void> {
  const line = await page.context().newCDPSession(page)
  const loaded = page.waitForEvent('load')
  await line.send('Page.reload', { ignoreCache: true })
  await loaded
  await line.detach()
}
