import { series } from '@fellowship/schema/series/series.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row, running } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'
import { nightly } from './support/in-soak.ts'

const site = journey()

beforeAll(async () => {
  const library = [
    ['No condemnation', 'Jane Doe', '2026-01-04', 'Romans 8:1-11'],
    ['More than conquerors', 'Hēmi Smith', '2026-01-11', 'Romans 8:31-39'],
    ['Called', 'Jane Doe', '2025-02-02', 'Genesis 12:1-9'],
  ] as const
  const uids: string[] = []
  for (const [at, [title, speaker, date, scriptureReference]] of library.entries()) {
    const fields = { title, speaker, date, scriptureReference }
    uids.unshift((await site.add(mp3('a.mp3', { bytes: 100_000 + at }), fields)).uid)
  }
  const body = { title: 'From the first', description: '', teachings: uids }
  await call(series.create, { body }, await site.session())
})

/** All three, the last one first. */
const seriesPath = '/series/from-the-first'

/** The position of the rows, without the part below them. */
const titles = (page: Page) => page.getByRole('main').locator('li h3').allTextContents()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })
const isAt = (page: Page, path: string) => comesTo(() => page.url(), site.url + path)
const html = async (path: string) =>
  (await fetch(site.url + path, { headers: { accept: 'text/html' } })).text()

nightly('a speaker without a teaching gets the 404 page', async () => {
  const page = await site.visit('/speakers/nobody', { firstVisit: true, allow: [/^404 \/speakers/] })
  await heading(page, '404 Page Not Found').waitFor()
  await page.getByText('There is no teaching by that speaker.').waitFor()
})

test('lists and pages of the server lead on, and work offline', async () => {
  expect(await html('/speakers')).toContain('href="/speakers/hemi-smith"')
  expect(await html('/books')).toMatch(/Old Testament.*Genesis.*New Testament.*Romans/s)
  expect(await html('/speakers/jane-doe')).toMatch(/2 teachings.*No condemnation.*Called/s)
  expect(await html('/books/romans')).toMatch(/<h1[^>]*>Romans<.*No condemnation.*More than conquerors/s)
  // A first visit, as no worker answers with its own page.
  const page = await site.visit('/speakers', { firstVisit: true, allow: offlineErrors })
  await page.getByRole('main').getByRole('link', { name: 'Jane Doe' }).click()
  await heading(page, 'Jane Doe').waitFor()
  await comesTo(() => titles(page), ['No condemnation', 'Called'])
  const feed = page.getByRole('main').getByRole('link', { name: 'Podcast feed' })
  expect(await (await fetch(site.url + (await feed.getAttribute('href'))!)).text()).toContain(
    '<title>Called</title>',
  )
  await row(page, 'Called').getByRole('link', { name: 'Called', exact: true }).click()
  await heading(page, 'Called').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'All teaching by Jane Doe' }).focus()
  await page.keyboard.press('Enter')
  await isAt(page, '/speakers/jane-doe')
  expect(await running(page)).toEqual([])

  await synced(page)
  await page.getByRole('button', { name: /^Save all 2 \(/ }).click()
  await page.getByText('Everything of it is saved.').waitFor()
  await page.context().setOffline(true)
  await page.goto(`${site.url}/books`)
  await page.getByRole('main').getByRole('link', { name: 'Genesis' }).click()
  await comesTo(() => titles(page), ['Called'])
  await page.getByRole('main').getByRole('link', { name: 'Books of the Bible' }).click()
  await heading(page, 'Browse').waitFor()
  await isAt(page, '/browse#books')
  await page.goto(`${site.url}/speakers/jane-doe`)
  await comesTo(() => titles(page), ['No condemnation', 'Called'])
  await page.getByRole('button', { name: /^Make a ZIP of 2 / }).click()
  await page.getByText('The ZIP file is ready.').waitFor()
  // The same recordings in a series: one of them is another speaker's, and not saved yet.
  await page.goto(site.url + seriesPath)
  await comesTo(() => titles(page), ['Called', 'More than conquerors', 'No condemnation'])
  await page.getByRole('button', { name: /^Make a ZIP of 2 / }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: /^Save 1 \(/ }).click()
  await page.getByText('Everything of it is saved.').waitFor()
  await page.context().setOffline(true)
  await page.goto(`${site.url}/books/romans`)
  await page.getByRole('button', { name: /^Make a ZIP of 2 / }).waitFor()
})

nightly('each kind is shared by link and QR code', async () => {
  for (const path of ['/speakers/hemi-smith', '/books/romans', seriesPath]) {
    const page = await site.visit(path)
    await page.getByRole('main').getByRole('button', { name: 'Share', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this page' })
    const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
    expect(link).toBe(site.url + path)
    await dialog.getByRole('img', { name: 'QR code' }).waitFor()
  }
})
