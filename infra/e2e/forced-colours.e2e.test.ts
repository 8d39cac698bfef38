import type { Locator } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { journey } from './support/journey.ts'
import { administrator } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, goWithin, row } from './support/screens.ts'

/** Forced colours, as in a Windows contrast theme. */
const theirs = { forcedColors: 'active' as const, reducedMotion: 'reduce' as const }

const site = journey()
beforeAll(async () => {
  await site.add(mp3('a.mp3'), {
    title: 'Hope',
    speaker: 'Jane Doe',
    date: '2026-11-15',
    scriptureReference: 'Romans 8:28',
  })
})

const ground = (element: Locator) => element.evaluate((found) => getComputedStyle(found).backgroundColor)

/** The selected element has another background colour than the other. */
async function standsOut(chosen: Locator, other: Locator): Promise<void> {
  await comesTo(async () => (await ground(chosen)) !== (await ground(other)), true)
}

test('selected links, filters and options differ in forced colours', async () => {
  const page = await site.visit('/teaching', theirs)
  await row(page, 'Hope').waitFor()
  const links = page.getByRole('navigation', { name: 'Main' })
  await standsOut(links.getByRole('link', { name: 'Teaching' }), links.getByRole('link', { name: 'About' }))

  const filter = page.getByRole('button', { name: 'Filter by book, speaker or year' })
  await filter.click()
  const romans = page.getByRole('button', { name: 'Romans 1 teaching' })
  await romans.click()
  await filter.click()
  await standsOut(romans, page.getByRole('button', { name: 'Jane Doe 1 teaching' }))

  await page.getByRole('contentinfo').getByRole('button', { name: 'Settings' }).click()
  const size = (sign: string) => page.locator('label').filter({ hasText: sign })
  await standsOut(size('Normal text'), size('Largest text'))
})

test('the selected tab differs in forced colours', async () => {
  const page = await site.visit('/admin?tab=system&part=processes', { ...theirs, as: administrator })
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  await standsOut(tab('System Administration'), tab('Backup'))
  await standsOut(tab('Processes'), tab('Activity'))
})

test('meters and progress bars show in forced colours', async () => {
  const page = await site.visit('/teaching', theirs)
  await row(page, 'Hope').getByRole('button', { name: 'Play Hope' }).click()
  await row(page, 'Hope').getByRole('button', { name: 'Pause', exact: true }).click()
  await row(page, 'Hope')
    .getByRole('button', { name: /^Save offline/ })
    .click()
  await row(page, 'Hope')
    .getByRole('button', { name: /^Saved/ })
    .click()
  const room = page.getByRole('meter', { name: 'Room taken' })
  await standsOut(room.locator('div'), room)
  await page.keyboard.press('Escape')
  await goWithin(page, '/')
  const bar = page.getByRole('region', { name: 'Player: Hope' })
  await standsOut(bar.locator('> div:first-child > div'), bar)
})

test('bare buttons keep a border in forced colours', async () => {
  const page = await site.visit('/', theirs)
  const edge = (element: Locator) => element.evaluate((found) => getComputedStyle(found).borderTopWidth)
  await comesTo(() => edge(page.getByRole('link', { name: 'Listen to the teaching' })), '1px')
  await goWithin(page, '/teaching')
  await comesTo(() => edge(row(page, 'Hope').getByRole('button', { name: 'Play Hope' })), '1px')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'Open the menu' }).click()
  const menu = page.getByRole('dialog', { name: 'Menu' })
  await comesTo(() => edge(menu.getByRole('button', { name: 'Sign In' })), '1px')
  // The sheet has the same background as the page behind it.
  const sheet = menu.locator('> div', { has: page.getByRole('navigation') })
  await comesTo(() => sheet.evaluate((found) => getComputedStyle(found).borderLeftWidth), '1px')
})
