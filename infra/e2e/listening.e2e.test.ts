import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { save, synced } from './support/offline-steps.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, goWithin, play, row, running, seeToast, sounds } from './support/screens.ts'

const site = journey()

beforeAll(async () => {
  for (const [at, title] of ['Four', 'Three', 'Two', 'One'].entries())
    await site.add(mp3('a.mp3', { bytes: 400_000 }), {
      title,
      speaker: 'Jane Doe',
      date: `2026-03-0${at + 1}`,
    })
})

/** Chooses something under More of a row. */
async function choose(page: Page, title: string, choice: string): Promise<void> {
  await row(page, title)
    .getByRole('button', { name: `More for ${title}` })
    .click()
  await page.getByRole('dialog', { name: title }).getByRole('button', { name: choice }).click()
}

/** The teachings in the list on the screen, first to last. */
const listed = (page: Page): Promise<string[]> =>
  page
    .getByRole('list', { name: 'Up next' })
    .getByRole('button', { name: /^Play now/ })
    .evaluateAll((buttons) => buttons.map((button) => button.children[1]!.textContent))

/** Goes to just before the end of what plays, and lets it end. */
async function nearEnd(page: Page): Promise<void> {
  await page.evaluate(() => {
    const audio = document.querySelector('audio')!
    audio.currentTime = audio.duration - 1
  })
}

const bar = (page: Page, title: string) => page.getByRole('region', { name: `Player: ${title}` })

test('Up next is filled, reordered, kept over a reload, plays on by itself, and skips offline what is not saved', async () => {
  const page = await site.visit('/teaching', { allow: [/^net::ERR_INTERNET_DISCONNECTED/] })
  await synced(page)
  await save(page, 'Two')
  await choose(page, 'Two', 'Add to Up next')
  await seeToast(page, 'Added to Up next', 'Two')
  await choose(page, 'Three', 'Add to Up next')
  await choose(page, 'Four', 'Play next')
  await play(page, 'One')
  await goWithin(page, '/')
  await bar(page, 'One').getByRole('button', { name: 'Up next: 3 teachings' }).click()
  await comesTo(() => listed(page), ['Four', 'Two', 'Three'])
  await page.getByRole('button', { name: 'Move Three up' }).click()
  await comesTo(() => listed(page), ['Four', 'Three', 'Two'])

  await page.goto(`${site.url}/teaching`)
  await play(page, 'One')
  await goWithin(page, '/')
  await nearEnd(page)
  await bar(page, 'Four').waitFor()
  await sounds(page)
  await bar(page, 'Four')
    .getByRole('button', { name: /^Open the player: / })
    .click()
  await comesTo(() => listed(page), ['Three', 'Two'])

  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Next teaching' }).click()
  await seeToast(page, '1 skipped: not saved on this device')
  await page.getByRole('dialog').getByRole('heading', { name: 'Two', exact: true }).waitFor()
  await sounds(page)
  expect((await running(page))[0]!.src).toMatch(/^\/offline-audio\//)
  await comesTo(() => listed(page), ['Three'])
  await page.context().setOffline(false)
})
