import { addressLine, church } from '@fellowship/schema/church'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { comesTo, hold } from './support/screens.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

/** The console message of a test that blocks the service worker, so that its routes take effect. */
const noWorker = 'Service Worker registration blocked by Playwright'

const site = journey()
beforeEach(() => {
  site.tiles.refusing = false
  site.tiles.asked = []
})

const section = (page: Page) => page.locator('section[aria-labelledby="find-us"]')
const map = (page: Page) => page.locator('.leaflet-frame')
const unavailable = (page: Page) => section(page).getByText('Interactive map unavailable', { exact: true })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Navigate to' })
/** Scrolls to the map, which loads only when it is near the viewport. */
const goThere = (page: Page) => section(page).scrollIntoViewIfNeeded()

nightlySuite('the map is unavailable', () => {
  const unfetched = [
    ['its stylesheet cannot be fetched', /leaflet-view-[^/]*\.css$/],
    ['the library cannot be fetched', /leaflet-view-[^/]*\.js$/],
  ] as const
  nightly.each(unfetched)('shows the placeholder when %s', async (_, file) => {
    const page = await site.visit('/teaching', {
      serviceWorkers: 'block',
      allow: [/net::ERR_FAILED/, /Failed to fetch dynamically/, /Unable to preload CSS/, noWorker],
    })
    await page.route(file, (route) => route.abort())
    await page.goto(`${site.url}/`)
    await goThere(page)
    await unavailable(page).waitFor()
    expect(await map(page).count()).toBe(0)
  })

  nightly('shows the placeholder after 2 seconds without a stylesheet', async () => {
    const page = await site.visit('/teaching', { serviceWorkers: 'block', allow: [noWorker] })
    const release = await hold(page, /leaflet-view-[^/]*\.css$/)
    await page.goto(`${site.url}/`)
    const began = Date.now()
    await goThere(page)
    await unavailable(page).waitFor()
    expect(Date.now() - began).toBeGreaterThan(1_500)
    const late = page.waitForResponse(/leaflet-view-[^/]*\.css$/)
    release()
    await late
    // A late stylesheet does not bring the map back.
    await page.waitForTimeout(1_000)
    expect(await map(page).count()).toBe(0)
  })

  nightly('shows the placeholder when tiles are refused', async () => {
    site.tiles.refusing = true
    const page = await site.visit('/', { allow: [/^403 /] })
    await goThere(page)
    await unavailable(page).waitFor()
    await page.getByRole('button', { name: 'Criterion Street: get directions on a map' }).click()
    await dialog(page).waitFor()
  })

  nightly('shows the placeholder offline and loads once online', async () => {
    const page = await site.visit('/', { allow: [/ERR_INTERNET_DISCONNECTED/] })
    await comesTo(() => page.evaluate(() => navigator.serviceWorker?.controller !== null), true)
    await page.context().setOffline(true)
    await page.reload()
    await goThere(page)
    await unavailable(page).waitFor()
    await section(page).getByText('28 Criterion Street').waitFor()
    await section(page).getByRole('button', { name: 'Get directions', exact: true }).click()
    await dialog(page).waitFor()
    expect(await dialog(page).getByRole('link').count()).toBe(3)
    await page.keyboard.press('Escape')
    await page.context().setOffline(false)
    await map(page).waitFor()
    expect(await unavailable(page).count()).toBe(0)
  })
})

describe('the map', () => {
  test('loads near the viewport, and opens directions', async () => {
    const page = await site.visit('/')
    await page.waitForTimeout(1_000)
    expect(site.tiles.asked).toEqual([])
    await goThere(page)
    await comesTo(
      () =>
        page
          .locator('.leaflet-tile-loaded')
          .count()
          .then((count) => count > 0),
      true,
    )
    expect(site.tiles.asked[0]!.url).toMatch(/^\/16\/\d+\/\d+\.png$/)
    expect(new Set(site.tiles.asked.map(({ headers }) => headers.referer))).toEqual(new Set([`${site.url}/`]))
    await section(page).getByText('© OpenStreetMap contributors').waitFor()
    await section(page).locator('.leaflet-popup').getByText(addressLine(church().address)).waitFor()
    await section(page).getByText('Tap or click on map to get directions', { exact: true }).waitFor()
    expect(
      await section(page)
        .getByRole('img', { name: /church building/ })
        .count(),
    ).toBe(1)

    // By click, marker and keyboard.
    await page
      .context()
      .route(/openstreetmap\.org|apple\.com|google\.com/, (route) =>
        route.fulfill({ status: 200, contentType: 'text/html', body: '<title>a map</title>' }),
      )
    const ways = ['OpenStreetMap', 'Apple Maps', 'Google Maps']
    const openers = [
      () => map(page).click({ position: { x: 60, y: 300 } }),
      () => page.locator('.leaflet-pin').click(),
      async () => {
        await page.locator('.leaflet-pin').focus()
        await page.keyboard.press('Enter')
      },
    ]
    for (const [at, open] of openers.entries()) {
      await map(page).waitFor()
      await open()
      await dialog(page).waitFor()
      const opened = page.context().waitForEvent('page')
      await dialog(page).getByRole('link', { name: ways[at]! }).click()
      const tab = await opened
      await tab.waitForLoadState()
      expect(decodeURIComponent(tab.url())).toContain(addressLine(church().address))
      expect(await tab.evaluate(() => window.opener as unknown)).toBeNull()
      await tab.close()
      await dialog(page).waitFor({ state: 'detached' })
    }
    expect(await page.locator('.leaflet-popup').count()).toBe(1)
  })

  nightly('does not capture the scroll wheel', async () => {
    const page = await site.visit('/')
    await goThere(page)
    await map(page).waitFor()
    // hover() scrolls it into view first.
    await map(page).hover()
    await page.locator('.leaflet-tile-loaded').first().waitFor()
    // Content loaded meanwhile can change the page height, so only downward progress counts.
    let highest = Infinity
    await comesTo(async () => {
      const now = await page.evaluate(() => scrollY)
      const gone = now > highest
      highest = Math.min(highest, now)
      await page.mouse.wheel(0, 60)
      return gone
    }, true)
    expect(site.tiles.asked.every(({ url }) => url.startsWith('/16/'))).toBe(true)
  })
})
