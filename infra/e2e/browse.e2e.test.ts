import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { nightly } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { seeState, synced } from './support/offline-steps.ts'
import { member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, sounds, titles, uploadPanel } from './support/screens.ts'

const site = journey()

beforeAll(async () => {
  const library = [
    ['Called', 'Jane Doe', '2025-02-02', 'Genesis 12:1-9'],
    ['Shepherd', 'John Smith', '2025-03-02', 'Psalm 23'],
    ['No condemnation', 'Jane Doe', '2026-01-04', 'Romans 8:1-11'],
    ['More than conquerors', 'John Smith', '2026-01-11', 'Romans 8:31-39'],
    ['Living sacrifice', 'Jane Doe', '2025-05-04', 'Romans 12:1-2'],
    ['A talk', 'John Smith', '2026-02-01', ''],
  ] as const
  for (const [at, [title, speaker, date, scriptureReference]] of library.entries())
    // The newest is long enough to be left and continued.
    await site.add(mp3('a.mp3', { bytes: (title === 'A talk' ? 1_500_000 : 100_000) + at }), {
      title,
      speaker,
      date,
      scriptureReference,
    })
})

const browse = async (page: Page) => {
  await page.getByRole('button', { name: 'Filter by book, speaker or year' }).click()
  await page.getByRole('region', { name: 'Speaker' }).waitFor()
}
const choices = (page: Page, title: string) =>
  page.getByRole('region', { name: title }).getByRole('button').allInnerTexts()
const choose = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('button', { name: new RegExp(`^${name} \\d+ teachings?$`) })
    .click()
const chosen = (page: Page) => page.getByRole('list', { name: 'Chosen' }).getByRole('listitem')
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true })

test('filters combine, and survive reload, Back and offline', async () => {
  const page = await site.visit('/teaching', { allow: [/ERR_INTERNET_DISCONNECTED/] })
  await heading(page, 'All Teaching').waitFor()
  await comesTo(async () => (await titles(page)).length, 5)
  await browse(page)
  await comesTo(() => choices(page, 'Old Testament'), ['Genesis\n1\nteaching', 'Psalms\n1\nteaching'])
  await comesTo(() => choices(page, 'New Testament'), ['Romans\n3\nteachings'])
  await choose(page, 'Romans')
  await heading(page, 'Teaching on Romans').waitFor()
  await comesTo(() => titles(page), ['More than conquerors', 'No condemnation', 'Living sacrifice'])
  await browse(page)
  await comesTo(() => choices(page, 'Speaker'), ['Jane Doe\n2\nteachings', 'John Smith\n1\nteaching'])
  await choose(page, 'Jane Doe')
  await page.getByLabel('Year', { exact: true }).first().selectOption('2026')
  await heading(page, '2026 Teaching on Romans by Jane Doe').waitFor()
  await comesTo(() => titles(page), ['No condemnation'])
  await comesTo(() => new URL(page.url()).search, '?book=Romans&speaker=Jane+Doe&year=2026')
  await page.getByPlaceholder('Search teaching by title, speaker, or topic...').fill('sacrifice')
  await page.getByText('No teaching found matching your search.').waitFor()
  await page.getByRole('button', { name: 'No longer only 2026' }).click()
  await comesTo(() => titles(page), ['Living sacrifice'])
  await comesTo(() => new URL(page.url()).search, '?book=Romans&speaker=Jane+Doe&q=sacrifice')

  await page.goto(`${site.url}/teaching?book=Romans&year=2026`)
  await heading(page, '2026 Teaching on Romans').waitFor()
  await comesTo(() => titles(page), ['More than conquerors', 'No condemnation'])
  await page.getByRole('link', { name: 'About', exact: true }).click()
  await page.getByRole('heading', { name: 'Who We Are' }).waitFor()
  await page.goBack()
  await comesTo(() => titles(page), ['More than conquerors', 'No condemnation'])
  await page.getByRole('link', { name: 'Teaching', exact: true }).click()
  await heading(page, 'All Teaching').waitFor()
  expect(await chosen(page).count()).toBe(0)

  await comesTo(() => page.evaluate(() => navigator.serviceWorker?.controller !== null), true)
  await page.context().setOffline(true)
  await page.goto(`${site.url}/teaching?speaker=Jane+Doe&q=2025`)
  await comesTo(() => titles(page).then((found) => found.toSorted()), ['Called', 'Living sacrifice'])
  await browse(page)
  await choose(page, 'Genesis')
  await comesTo(() => titles(page), ['Called'])
})

nightly('common tasks on a phone need few taps', async () => {
  const page = await site.visit('/', { as: member, viewport: { width: 360, height: 740 } })
  let taps = 0
  const tap = async (control: Locator) => {
    await control.click()
    taps += 1
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const takes = (count: number) => {
    expect(taps).toBe(count)
    taps = 0
  }
  const player = page.getByRole('region', { name: 'Player: A talk' })

  await tap(page.getByRole('main').getByRole('button', { name: 'Play the latest' }))
  await player.waitFor()
  await sounds(page)
  takes(1)

  await page.evaluate(() => {
    document.querySelector('audio')!.currentTime = 30
  })
  await player.getByRole('button', { name: /^Pause/ }).click()
  await page.goto(`${site.url}/`)
  const continued = page.getByRole('region', { name: 'Continue listening: A talk' })
  await tap(continued.getByRole('button', { name: /^Continue: / }))
  await player.waitFor()
  await sounds(page)
  takes(1)

  await page.goto(`${site.url}/`)
  await synced(page)
  await tap(page.getByRole('link', { name: 'Listen to the teaching' }))
  await tap(page.getByRole('main').getByRole('button', { name: /^Save offline .*: A talk$/ }))
  await seeState(page, 'A talk', 'Saved')
  takes(2)

  await page.goto(`${site.url}/`)
  await tap(button('Open the menu'))
  await tap(page.getByRole('dialog').getByRole('link', { name: 'Browse' }))
  await tap(page.getByRole('main').getByRole('link', { name: /^Romans/ }))
  await page.getByRole('heading', { name: 'Romans', level: 1 }).waitFor()
  takes(3)

  await page.goto(`${site.url}/`)
  const chooser = page.waitForEvent('filechooser')
  await tap(button('Open the menu'))
  await tap(page.getByRole('dialog').getByRole('link', { name: 'Upload Teaching' }))
  await tap(uploadPanel(page).getByLabel('Audio file'))
  await chooser
  takes(3)
})
