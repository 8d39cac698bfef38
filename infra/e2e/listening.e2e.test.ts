import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { nightly } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { fetchNothingAhead, save, synced } from './support/offline-steps.ts'
import { administrator, member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, goWithin, play, running, seeToast, sounds } from './support/screens.ts'
import { bar, choose, drag, nearEnd, upNext } from './support/up-next-steps.ts'

const site = journey()

beforeAll(async () => {
  for (const [at, title] of ['Four', 'Three', 'Two', 'One'].entries())
    await site.add(mp3('a.mp3', { bytes: 400_000 }), {
      title,
      speaker: 'Jane Doe',
      date: `2026-03-0${at + 1}`,
    })
})

nightly('Up next fills, reorders, persists, plays on and skips offline', async () => {
  const page = await site.visit('/teaching', { allow: [/^net::ERR_INTERNET_DISCONNECTED/] })
  await synced(page)
  await fetchNothingAhead(page)
  await save(page, 'Two')
  await choose(page, 'Two', 'Add to Up next')
  await seeToast(page, 'Added to Up next', 'Two')
  await choose(page, 'Three', 'Add to Up next')
  await choose(page, 'Four', 'Play next')
  await play(page, 'One')
  await goWithin(page, '/')
  await bar(page, 'One').getByRole('button', { name: 'Up next: 3 teachings' }).click()
  await comesTo(() => upNext(page), ['Four', 'Two', 'Three'])
  await page.getByRole('button', { name: 'Move Three up' }).click()
  await comesTo(() => upNext(page), ['Four', 'Three', 'Two'])
  await drag(page, 'Two', 'Four')
  await comesTo(() => upNext(page), ['Two', 'Four', 'Three'])
  await drag(page, 'Two', 'Three')
  await comesTo(() => upNext(page), ['Four', 'Three', 'Two'])

  await page.goto(`${site.url}/teaching`)
  await play(page, 'One')
  await goWithin(page, '/')
  await nearEnd(page)
  await bar(page, 'Four').waitFor()
  await sounds(page)
  await bar(page, 'Four')
    .getByRole('button', { name: /^Open the player: / })
    .click()
  await comesTo(() => upNext(page), ['Three', 'Two'])

  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Next teaching' }).click()
  await seeToast(page, '1 skipped: not saved on this device')
  await page.getByRole('dialog').getByRole('heading', { name: 'Two', exact: true }).waitFor()
  await sounds(page)
  expect((await running(page))[0]!.src).toMatch(/^\/offline-audio\//)
  await comesTo(() => upNext(page), ['Three'])
  await page.context().setOffline(false)
})

const part = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

test('My listening works offline, across tabs and as a file', async () => {
  const page = await site.visit('/teaching', { allow: [/^net::ERR_INTERNET_DISCONNECTED/] })
  await synced(page)
  await choose(page, 'Two', 'Add to favourites')
  await choose(page, 'Three', 'Mark as heard')
  await play(page, 'One')
  await goWithin(page, '/')
  await bar(page, 'One')
    .getByRole('button', { name: /^Open the player: / })
    .click()
  await page.getByRole('button', { name: 'Write a note' }).click()
  await page.getByRole('button', { name: 'Save note' }).click()
  await page.getByText('Write something, or press Cancel.').waitFor()
  await page.getByLabel(/^Note at 0:\d\d$/).fill('The true vine')
  await page.getByRole('button', { name: 'Save note' }).click()
  await page.getByText('The true vine').waitFor()
  await page.getByRole('button', { name: 'Stop and close the player' }).click()

  await page.context().setOffline(true)
  await page.goto(`${site.url}/listening`)
  await part(page, 'Favourites (1)').getByRole('heading', { name: 'Two' }).waitFor()
  await part(page, 'Heard (1)').getByRole('heading', { name: 'Three' }).waitFor()
  await part(page, 'Up next').getByText('Your queue is empty.').waitFor()
  await page.context().setOffline(false)
  await part(page, 'Notes (1)')
    .getByRole('button', { name: /^Play from the note at 0:\d\d$/ })
    .click()
  await sounds(page)

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const file = await (await download).path()
  const beside = await site.visitBeside(page, '/listening')
  await part(beside, 'Favourites (1)').waitFor()
  await page.getByRole('button', { name: 'Delete all of it from this device' }).click()
  await page.getByRole('button', { name: 'Delete all of it', exact: true }).click()
  await part(beside, 'Favourites').getByText('No favourites yet.').waitFor()
  await beside.getByLabel('File to import').setInputFiles(file)
  await beside.getByText(/^Imported: \d+ new or changed\.$/).waitFor()
  await part(page, 'Favourites (1)').getByRole('heading', { name: 'Two' }).waitFor()
  await part(page, 'Notes (1)').getByText('The true vine').waitFor()
})

test('listening syncs with the account and leaves at sign-out', async () => {
  const one = await site.visit('/teaching', { as: member })
  await synced(one)
  await choose(one, 'Two', 'Add to favourites')
  await play(one, 'One')
  await one.evaluate(() => (document.querySelector('audio')!.currentTime = 18))
  await goWithin(one, '/')
  await bar(one, 'One')
    .getByRole('button', { name: /^Open the player: / })
    .click()
  await one.getByRole('button', { name: 'Write a note' }).click()
  await one.getByLabel(/^Note at 0:\d\d$/).fill('Of the member alone')
  await one.getByRole('button', { name: 'Save note' }).click()
  await one.getByText('Of the member alone').waitFor()
  await one.getByRole('button', { name: 'Stop and close the player' }).click()
  await goWithin(one, '/listening')
  await part(one, 'Continue (1)').waitFor()
  await keeping(one).click()
  await one.getByText('Up to date, just now.', { exact: true }).waitFor()
  expect(await keeping(one).evaluate((element) => element === document.activeElement)).toBe(true)

  const two = await site.visit('/listening', { as: member })
  await part(two, 'Continue (1)').getByRole('heading', { name: 'One' }).waitFor()
  await part(two, 'Favourites (1)').getByRole('heading', { name: 'Two' }).waitFor()
  await part(two, 'Notes (1)').getByText('Of the member alone').waitFor()
  const other = await site.visit('/listening', { as: administrator })
  await part(other, 'Favourites').getByText('No favourites yet.').waitFor()
  expect(await keeping(other).isChecked()).toBe(false)

  await goWithin(two, '/teaching')
  await choose(two, 'Three', 'Add to favourites')
  await goWithin(two, '/listening')
  await part(two, 'Favourites (2)').waitFor()
  await two.getByText('Up to date, just now.', { exact: true }).waitFor()
  await one.goto(`${site.url}/listening`)
  await part(one, 'Favourites (2)').getByRole('heading', { name: 'Three' }).waitFor()

  await two.getByRole('button', { name: 'Mere Member' }).click()
  await two.getByRole('button', { name: 'Sign Out' }).click()
  await two.getByRole('button', { name: 'Remove it from this device, and sign out' }).click()
  await seeToast(two, 'Logout successful')
  await goWithin(two, '/listening')
  await part(two, 'Favourites').getByText('No favourites yet.').waitFor()
  await part(two, 'Notes').getByText('No notes yet.').waitFor()
})

nightly('another device shows a change by itself', async () => {
  // The browser also checks for a new service worker while the server is down.
  const allow = [/^net::ERR_/, /fetching the script/]
  const one = await site.visit('/teaching', { as: administrator, allow })
  await synced(one)
  await goWithin(one, '/listening')
  if (!(await keeping(one).isChecked())) await keeping(one).click()
  await one.getByText('Up to date, just now.', { exact: true }).waitFor()
  const two = await site.visit('/listening', { as: administrator, firstVisit: true, allow })
  await two.getByText('Up to date, just now.', { exact: true }).waitFor()

  await goWithin(one, '/teaching')
  await play(one, 'Four')
  await one.evaluate(() => (document.querySelector('audio')!.currentTime = 18))
  await bar(one, 'Four').getByRole('button', { name: 'Pause' }).click()
  await part(two, /^Continue/)
    .getByRole('heading', { name: 'Four' })
    .waitFor()

  await site.product.kill()
  await site.startAgain()
  // The browser connects to the stream again after 15 seconds at most.
  await two.waitForResponse((answer) => answer.url().endsWith('/api/sync/events'), { timeout: 80_000 })
  await goWithin(one, '/teaching')
  await choose(one, 'Four', 'Add to favourites')
  await part(two, /^Favourites/)
    .getByRole('heading', { name: 'Four' })
    .waitFor()
})

const keeping = (page: Page) => page.getByRole('switch', { name: 'Keep my listening on all my devices' })
