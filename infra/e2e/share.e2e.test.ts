import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row, running, sounds } from './support/screens.ts'

const site = journey()
const uids = new Map<string, string>()

beforeAll(async () => {
  for (const day of [1, 2, 3, 4, 5, 6, 7]) {
    const fields = { title: `Study ${day}`, speaker: 'Jane Doe', date: `2026-03-0${day}` }
    const file = mp3('a.mp3', { bytes: 400_000 + day })
    const scripture = day === 1 ? { scriptureReference: 'Romans 12:1-2' } : {}
    uids.set(fields.title, (await site.add(file, { ...fields, ...scripture })).uid)
  }
})

const linkTo = (title: string, at = '') => `/teaching?t=${uids.get(title)}${at}`
const sent = (page: Page): Locator => page.getByRole('list', { name: 'Sent to you' })
const inSight = (locator: Locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })
const openDialog = async (page: Page, title: string) => {
  await row(page, title)
    .getByRole('button', { name: `Share ${title}` })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Share this teaching' })
  await dialog.waitFor()
  return dialog
}

describe('a link to a teaching', () => {
  test('an unknown teaching says so above the library', async () => {
    const path = '/teaching?t=00000000-0000-4000-8000-000000000000'
    const page = await site.visit(path, { allow: ['404 /teaching'] })
    await page.getByText('We can’t find that teaching.').waitFor()
    await row(page, 'Study 7').waitFor()
    expect(await sent(page).count()).toBe(0)
  })

  test('a teaching on a later page is scrolled into view, and plays only on request', async () => {
    const page = await site.visit(linkTo('Study 1', '&at=30'))
    await row(page, 'Study 1').waitFor()
    await sent(page).getByText('The link you followed begins at 0:30.').waitFor()
    await comesTo(() => inSight(row(page, 'Study 1')), true)
    await comesTo(() => page.url(), `${site.url}/teaching`)
    expect(await running(page)).toEqual([])
    await sent(page).getByRole('button', { name: 'Play from 0:30' }).click()
    await sounds(page)
    expect((await running(page))[0]!.at).toBeGreaterThanOrEqual(30)
  })

  test('the home page link opens the newest teaching with a play button, and stays there', async () => {
    const page = await site.visit('/', { viewport: { width: 360, height: 420 } })
    await page.getByRole('main').getByRole('link', { name: 'Study 7' }).click()
    await row(page, 'Study 7').getByRole('button', { name: 'Play it' }).waitFor()
    await comesTo(() => page.url(), `${site.url}/teaching`)
    // Long enough for the router to scroll, if it still did.
    await page.waitForTimeout(500)
    await comesTo(() => inSight(row(page, 'Study 7').getByRole('heading')), true)
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0)
    expect(await running(page)).toEqual([])
    const feed = await page.getByRole('link', { name: 'Podcast feed' }).getAttribute('href')
    expect(await (await fetch(site.url + feed)).text()).toContain('<rss')
  })

  test('the newest teaching plays at the first press on the home page, in the bar', async () => {
    const page = await site.visit('/')
    const play = page.getByRole('main').getByRole('button', { name: 'Play Study 7' })
    await play.click()
    await sounds(page)
    expect(new URL(page.url()).pathname).toBe('/')
    const bar = page.getByRole('region', { name: 'Player: Study 7' })
    await bar.waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Pause Study 7' }).click()
    await bar.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await comesTo(async () => (await running(page)).length, 0)
  })

  test('a listed teaching is scrolled into view and plays from the start', async () => {
    const page = await site.visit(linkTo('Study 4'))
    const listed = row(page, 'Study 4')
    await listed.getByRole('button', { name: 'Play it' }).waitFor()
    expect(await sent(page).count()).toBe(0)
    await comesTo(() => inSight(listed), true)
    await listed.getByRole('button', { name: 'Play it' }).click()
    await sounds(page)
  })
})

describe('sharing', () => {
  test('copies the link, with or without the current position, and shows it as a QR code', async () => {
    const page = await site.visit(linkTo('Study 1', '&at=30'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await sent(page).getByRole('button', { name: 'Play from 0:30' }).click()
    await sounds(page)
    await row(page, 'Study 1').getByRole('button', { name: 'Pause', exact: true }).click()
    const dialog = await openDialog(page, 'Study 1')
    const link = dialog.getByLabel('Link', { exact: true })
    expect(await link.inputValue()).toBe(site.url + linkTo('Study 1'))
    const code = () => dialog.getByRole('img', { name: 'QR code' }).locator('path').getAttribute('d')
    const before = await code()
    await dialog.getByLabel(/^Start at 0:\d\d$/).check()
    await comesTo(async () => /&at=3\d$/.test(await link.inputValue()), true)
    expect(await code()).not.toBe(before)
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await dialog.getByRole('button', { name: 'Link copied' }).waitFor()
    expect(await dialog.getByRole('status').textContent()).toBe('Link copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await link.inputValue())
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('selects the link for copying by hand when the clipboard is unavailable', async () => {
    const page = await site.visit('/teaching')
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    const dialog = await openDialog(page, 'Study 7')
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await dialog.getByText('The link is selected: copy it yourself.').waitFor()
    const selected = await dialog
      .getByLabel('Link', { exact: true })
      .evaluate((field: HTMLInputElement) => [field.selectionStart, field.selectionEnd])
    expect(selected).toEqual([0, (site.url + linkTo('Study 7')).length])
  })

  test('prints only the slip', async () => {
    const page = await site.visit(linkTo('Study 1'))
    await openDialog(page, 'Study 1')
    expect(await page.getByText('Sunday Service: Every Sunday at 10:00 AM').isVisible()).toBe(false)
    await page.emulateMedia({ media: 'print' })
    await comesTo(
      () => page.evaluate(() => document.body.innerText.split('\n').filter((line) => line.trim() !== '')),
      [
        'Bulls Christian Fellowship',
        'Study 1',
        'Jane Doe, 1 March 2026',
        'Romans 12:1-2',
        site.url + linkTo('Study 1'),
        'Sunday Service: Every Sunday at 10:00 AM',
        '28 Criterion Street, Bulls 4818, New Zealand',
      ],
    )
    const slip = await page.locator('.share-slip').boundingBox()
    expect(slip!.width).toBeGreaterThan(200)
  })
})

test('the scripture reference of a row opens its passage without playing', async () => {
  const page = await site.visit(linkTo('Study 1'))
  await row(page, 'Study 1').getByRole('button', { name: 'Romans 12:1-2', exact: true }).click()
  await page.getByRole('dialog', { name: 'Romans 12:1-2' }).getByText('a living sacrifice').waitFor()
  expect(await running(page)).toEqual([])
})
