import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { series } from '@fellowship/schema/series/series.contract'
import { call } from '@fellowship/sync/call/call'
import { cookieTransport } from '../dev/cookie-transport.ts'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, titles } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'

const site = journey()

beforeAll(async () => {
  const library = [
    ['No condemnation', '2026-01-04', 'Romans 8:1-11'],
    ['More than conquerors', '2026-01-11', 'Romans 8:31-39'],
  ] as const
  for (const [at, [title, date, scriptureReference]] of library.entries())
    await site.add(mp3('a.mp3', { bytes: 100_000 + at }), {
      title,
      speaker: 'Jane Doe',
      date,
      scriptureReference,
    })
})

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })
const listed = () => call(series.list, {}, cookieTransport(site.url))

test('a series that nobody began is the 404 page', async () => {
  const page = await site.visit('/series/nothing', { firstVisit: true, allow: [/^404 \/series/] })
  await heading(page, '404 Page Not Found').waitFor()
  await page.getByText('We can’t find that series.').waitFor()
})

test('a member begins a series offline and orders it by keys; it is sent, and everybody sees it', async () => {
  const page = await site.visit('/teaching', { as: member, allow: offlineErrors })
  await synced(page)
  await page.goto(`${site.url}/series`)
  await page.getByText('There are no series yet.').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'New series' }).click()
  const dialog = page.getByRole('dialog', { name: 'New Series' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('A series needs a title.').waitFor()
  await dialog.getByLabel('Title').fill('Romans 8')
  const finder = dialog.getByLabel('Add teachings')
  for (const title of ['More than conquerors', 'No condemnation']) {
    await finder.fill(title)
    await dialog.getByRole('button', { name: `Add ${title}` }).click()
  }
  await dialog.getByRole('button', { name: 'Move up No condemnation' }).press('Enter')
  await dialog.getByText('No condemnation is now 1 of 2').waitFor({ state: 'attached' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await heading(page, 'Romans 8').waitFor()
  await comesTo(() => titles(page), ['No condemnation', 'More than conquerors'])
  expect(await listed()).toEqual([])

  await page.context().setOffline(false)
  await comesTo(
    async () => (await listed()).map(({ slug, title }) => [slug, title]),
    [['romans-8', 'Romans 8']],
  )
  await comesTo(() => page.url(), `${site.url}/series/romans-8`)
  const visitor = await site.visit('/series')
  await visitor.getByRole('main').getByRole('link', { name: 'Romans 8' }).click()
  await heading(visitor, 'Romans 8').waitFor()
  await comesTo(() => titles(visitor), ['No condemnation', 'More than conquerors'])
})
