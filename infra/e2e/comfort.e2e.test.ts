import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, goWithin, row } from './support/screens.ts'
import { nightly } from './support/in-soak.ts'

const site = journey()

const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Settings' })
const open = async (page: Page) => {
  await page.getByRole('contentinfo').getByRole('button', { name: 'Settings' }).click()
  await dialog(page).waitFor()
}
const textSize = (page: Page) =>
  page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
const ink = (page: Page) => page.evaluate(() => getComputedStyle(document.body).color)
/** Horizontal overflow in pixels. */
const overhang = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
/** The paths the page has requested. */
const asked = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname))

test('text size, contrast and reduced data apply and persist', async () => {
  await site.add(mp3('a.mp3', { bytes: 400_000 }), {
    title: 'Hope',
    speaker: 'Jane Doe',
    date: '2026-03-01',
  })
  const page = await site.visit('/', { viewport: { width: 360, height: 740 } })
  expect(await textSize(page)).toBe(16)
  await open(page)
  await dialog(page).getByRole('radio', { name: 'Normal text' }).focus()
  await page.keyboard.press('ArrowRight')
  await comesTo(() => textSize(page), 18)
  await page.keyboard.press('ArrowRight')
  await comesTo(() => textSize(page), 21)
  await page.keyboard.press('Tab')
  // Auto, light, dark: the last one applies although the browser prefers light.
  await page.keyboard.press('ArrowLeft')
  await comesTo(() => ink(page), 'rgb(237, 232, 220)')
  await page.keyboard.press('ArrowRight')
  await comesTo(() => ink(page), 'rgb(34, 48, 43)')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await comesTo(() => ink(page), 'rgb(0, 0, 0)')
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await page.goto(`${site.url}/teaching`)
  for (const [path, name] of [
    ['/teaching', 'Teaching'],
    ['/about', 'Who We Are'],
    ['/', /^Welcome to/],
  ] as const) {
    await goWithin(page, path)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    expect([path, await textSize(page), await ink(page)]).toEqual([path, 21, 'rgb(0, 0, 0)'])
    await comesTo(() => overhang(page), 0)
  }
  await open(page)
  await dialog(page).getByRole('radio', { name: 'Normal text' }).check({ force: true })
  await dialog(page).getByLabel('High contrast').uncheck()
  await comesTo(() => textSize(page), 16)
  await comesTo(() => ink(page), 'rgb(34, 48, 43)')
  await page.keyboard.press('Escape')

  // Reduced data shows sizes, and the map on request.
  await page.setViewportSize({ width: 1280, height: 800 })
  await goWithin(page, '/teaching')
  await row(page, 'Hope').waitFor()
  expect(await row(page, 'Hope').getByText('412 kB', { exact: true }).count()).toBe(0)
  await open(page)
  await dialog(page).getByLabel('Reduced data').check()
  await page.keyboard.press('Escape')
  await row(page, 'Hope').getByText('412 kB', { exact: true }).waitFor()
  await row(page, 'Hope').getByRole('button', { name: 'Play Hope' }).click()
  await page.getByRole('button', { name: 'Download Audio (412 kB)' }).waitFor()

  await page.goto(`${site.url}/`)
  await page.getByRole('heading', { name: 'Find Us' }).scrollIntoViewIfNeeded()
  const show = page.getByRole('button', { name: 'Show the map' })
  await show.waitFor()
  await page.getByRole('button', { name: 'Criterion Street: get directions on a map' }).waitFor()
  expect((await asked(page)).filter((path) => /leaflet/.test(path))).toEqual([])
  await show.click()
  await page.locator('.leaflet-container').waitFor()
})

nightly('follows the contrast preference until the user chooses', async () => {
  const page = await site.visit('/', { contrast: 'more' })
  await comesTo(() => ink(page), 'rgb(0, 0, 0)')
  await open(page)
  await dialog(page).getByLabel('High contrast').uncheck()
  await comesTo(() => ink(page), 'rgb(34, 48, 43)')
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await comesTo(() => ink(page), 'rgb(34, 48, 43)')
})
