import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row, running, sounds } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'
import { nightly } from './support/in-soak.ts'

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
const pageOf = (title: string) => {
  const day = title.slice(-1)
  return `/teaching/2026-03-0${day}-study-${day}-${uids.get(title)!.slice(-12)}`
}
const isAt = (page: Page, path: string) => comesTo(() => page.url(), site.url + path)
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })
const openDialog = async (page: Page, title: string) => {
  await page
    .getByRole('main')
    .getByRole('button', { name: `Share ${title}` })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Share this teaching' })
  await dialog.waitFor()
  return dialog
}

describe('a link to a teaching', () => {
  nightly('an unknown teaching gets the 404 page', async () => {
    const path = '/teaching?t=00000000-0000-4000-8000-000000000000'
    const page = await site.visit(path, { allow: [/^404 \/teaching/] })
    await page.getByText('We can’t find that teaching.').waitFor()
    await page.getByRole('link', { name: 'Find a teaching' }).click()
    await row(page, 'Study 7').waitFor()
  })

  test('a row and an earlier link lead to the page, also offline', async () => {
    const page = await site.visit('/teaching', { allow: offlineErrors })
    const title = row(page, 'Study 7').getByRole('link', { name: 'Study 7', exact: true })
    await title.click()
    await heading(page, 'Study 7').waitFor()
    await isAt(page, pageOf('Study 7'))
    expect(await running(page)).toEqual([])
    await page.goBack()
    await row(page, 'Study 7').getByRole('button', { name: 'Play Study 7' }).waitFor()

    await synced(page)
    await page.context().setOffline(true)
    await page.goto(site.url + linkTo('Study 4', '&at=30'))
    await heading(page, 'Study 4').waitFor()
    await isAt(page, `${pageOf('Study 4')}?at=30`)
    await page.getByRole('main').getByText('Needs a connection', { exact: true }).waitFor()
    const around = page.getByRole('navigation', { name: 'Previous and next' })
    await comesTo(() => around.getByRole('link').allTextContents(), ['Study 3', 'Study 5'])
    await around.getByRole('link', { name: 'Study 5' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Study 5').waitFor()
    await isAt(page, pageOf('Study 5'))
  })

  nightly('the home link opens the newest teaching', async () => {
    const page = await site.visit('/')
    await page.getByRole('main').getByRole('link', { name: 'Study 7' }).click()
    await heading(page, 'Study 7').waitFor()
    await isAt(page, pageOf('Study 7'))
    expect(await running(page)).toEqual([])
    const feed = await page.getByRole('link', { name: 'Podcast feed' }).getAttribute('href')
    expect(await (await fetch(site.url + feed)).text()).toContain('<rss')
  })
})

describe('sharing', () => {
  test('a link plays on request, and is copied with its position', async () => {
    const page = await site.visit(linkTo('Study 1', '&at=30'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await heading(page, 'Study 1').waitFor()
    await isAt(page, `${pageOf('Study 1')}?at=30`)
    await page.getByText('The link you followed begins at 0:30.').waitFor()
    const main = page.getByRole('main')
    await main.getByRole('figure').getByText('a living sacrifice').waitFor()
    await main.getByRole('button', { name: 'Romans 12:1-2', exact: true }).click()
    const passage = page.getByRole('dialog', { name: 'Romans 12:1-2' })
    await passage.getByText('a living sacrifice').waitFor()
    await page.keyboard.press('Escape')
    expect(await running(page)).toEqual([])
    await page.getByRole('button', { name: 'Play from 0:30' }).click()
    await sounds(page)
    expect((await running(page))[0]!.at).toBeGreaterThanOrEqual(30)

    await main.getByRole('button', { name: 'Pause', exact: true }).click()
    const dialog = await openDialog(page, 'Study 1')
    const link = dialog.getByLabel('Link', { exact: true })
    await comesTo(() => link.inputValue(), site.url + pageOf('Study 1'))
    const code = () => dialog.getByRole('img', { name: 'QR code' }).locator('path').getAttribute('d')
    const before = await code()
    await dialog.getByLabel(/^Start at 0:\d\d$/).check()
    await comesTo(async () => /\?at=3\d$/.test(await link.inputValue()), true)
    expect(await code()).not.toBe(before)
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await dialog.getByRole('button', { name: 'Link copied' }).waitFor()
    await comesTo(() => dialog.getByRole('status').textContent(), 'Link copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await link.inputValue())
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    // One press on Home plays the newest.
    await page.goto(`${site.url}/`)
    await main.getByRole('button', { name: 'Play Study 7' }).click()
    await sounds(page)
    expect(new URL(page.url()).pathname).toBe('/')
    const bar = page.getByRole('region', { name: 'Player: Study 7' })
    await bar.waitFor()
    await main.getByRole('button', { name: 'Pause Study 7' }).click()
    await bar.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await comesTo(async () => (await running(page)).length, 0)
  })

  nightly('selects the link when the clipboard is unavailable', async () => {
    const page = await site.visit('/teaching')
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    const dialog = await openDialog(page, 'Study 7')
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    await dialog.getByText('The link is selected: copy it yourself.').waitFor()
    const selected = await dialog
      .getByLabel('Link', { exact: true })
      .evaluate((field: HTMLInputElement) => [field.selectionStart, field.selectionEnd])
    expect(selected).toEqual([0, (site.url + pageOf('Study 7')).length])
  })

  nightly('prints only the slip', async () => {
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
        site.url + pageOf('Study 1'),
        'Sunday Service: Every Sunday at 10:00 AM',
        '28 Criterion Street, Bulls 4818, New Zealand',
      ],
    )
    const slip = await page.locator('.share-slip').boundingBox()
    expect(slip!.width).toBeGreaterThan(200)
  })
})
