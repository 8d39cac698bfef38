import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row, titles } from './support/screens.ts'

const site = journey()
const add = (title: string, date: string) => site.add(mp3('a.mp3'), { title, speaker: 'Jane Doe', date })

beforeAll(async () => {
  await add('Kept', '2026-03-01')
  await add('Kept too', '2026-03-02')
})

/** The counts that the page set on the icon; 0 if it cleared the count. */
const counts = (page: Page) => page.evaluate(() => (globalThis as { counts?: number[] }).counts)

async function recordCounts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const told: number[] = []
    Object.assign(globalThis, { counts: told })
    const setBadge = navigator.setAppBadge.bind(navigator)
    const clearBadge = navigator.clearAppBadge.bind(navigator)
    navigator.setAppBadge = (count) => (told.push(count ?? -1), setBadge(count))
    navigator.clearAppBadge = () => (told.push(0), clearBadge())
  })
}

const newLink = (page: Page) => page.getByRole('link', { name: /new since your last visit$/ })

test('marks and lists teachings added since the last visit', async () => {
  const page = await site.visit('/teaching', { viewport: { width: 360, height: 740 } })
  await synced(page)
  await recordCounts(page)
  await page.goto(`${site.url}/teaching?show=new`)
  await page.getByText('Nothing is new since your last visit').waitFor()
  await add('Fresh', '2026-03-03')
  await add('Older, and added now', '2026-02-01')
  await page.clock.setSystemTime(Date.now() + 3_600_000)
  await page.goto(`${site.url}/teaching`)
  await comesTo(() => newLink(page).innerText(), '2 new since your last visit')
  await row(page, 'Fresh').getByText('New since your last visit').waitFor()
  expect(await row(page, 'Kept').getByText('New since your last visit').count()).toBe(0)
  await comesTo(() => counts(page), [0])
  const heights = await page
    .getByRole('main')
    .getByRole('listitem')
    // The last one has no line below it.
    .evaluateAll(
      (rows) => new Set(rows.slice(0, -1).map((one) => Math.round(one.getBoundingClientRect().height))).size,
    )
  expect(heights).toBe(1)
  await newLink(page).click()
  await comesTo(() => titles(page), ['Fresh', 'Older, and added now'])
  await page.getByRole('heading', { level: 2, name: 'New since your last visit' }).waitFor()
  await page.getByRole('link', { name: '2 more in All teaching' }).click()
  await comesTo(async () => (await titles(page)).length, 4)
})
