import type { Locator, Page } from 'playwright-core'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call } from '@fellowship/sync/call/call'
import { stateAddress } from '@fellowship/sync/client/pages/prerendered-pages'
import { cookieTransport } from '../../dev/cookie-transport.ts'
import { comesTo, row } from './screens.ts'

/** The server is gone: every call fails, and so does the line for hints. */
export const away = [
  /^net::ERR_(CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|SOCKET_NOT_CONNECTED) /,
]

/** Waits until the worker answers for this page and the catalogue is on the device. */
export async function settled(page: Page): Promise<void> {
  // It keeps the whole site first, which takes a busy machine its time.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, {
    timeout: 45_000,
  })
  await page.getByText(/^Up to date, /).waitFor()
}

/**
 * The library as the next start would show it before any script runs; undefined where it is not kept, or of another state
 * than the server is in: that one would be taken away in a moment.
 */
export async function keptLibrary(page: Page, url: string): Promise<string | undefined> {
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

/** The button that keeps a teaching on the device, in whatever state it is. */
export const saveControl = (page: Page, title: string): Locator =>
  row(page, title).getByRole('button', { name: new RegExp(`: ${title}$`) })

/** Saves a teaching and waits until it is all there. */
export async function save(page: Page, title: string): Promise<void> {
  await saveControl(page, title).click()
  await seeState(page, title, 'Saved')
}

/** Waits until the button of a teaching says so. */
export async function seeState(page: Page, title: string, words: string): Promise<void> {
  await row(page, title)
    .getByRole('button', { name: `${words}: ${title}`, exact: true })
    .waitFor()
}

/** Takes bytes of a saved recording away, as a device does that needs room: from `first` on, all that follow. */
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

/** Drags the thumb of the open player to a share of the whole, 0 to 1. */
export async function seekTo(page: Page, share: number): Promise<void> {
  const slider = page.getByRole('main').getByRole('slider', { name: 'Position' })
  await comesTo(() => slider.isEnabled(), true)
  const { width, height } = (await slider.boundingBox())!
  await slider.click({ position: { x: width * share, y: height / 2 } })
}

/** What the one audio element of the page plays from, and where it is, whether it runs or not. */
export const sound = (page: Page) =>
  page.evaluate(() => {
    const audio = document.querySelector('audio')!
    return { src: audio.currentSrc, at: audio.currentTime, of: audio.duration, paused: audio.paused }
  })

/** Reloads as a hard reload does: past the worker, which then does not answer for the page. */
export async function hardReload(page: Page): Promise<void> {
  const line = await page.context().newCDPSession(page)
  const loaded = page.waitForEvent('load')
  await line.send('Page.reload', { ignoreCache: true })
  await loaded
  await line.detach()
}
