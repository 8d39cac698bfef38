import { createHash } from 'node:crypto'
import { samplePdf } from '@fellowship/api/testing/sample-pdf'
import { plainPng } from '@fellowship/api/testing/sample-pictures'
import { handoutCache } from '@fellowship/schema/handouts/handout-file'
import { handoutTexts as texts } from '@fellowship/schema/handouts/handouts.texts'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './support/axe.ts'
import { nightly } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { save, serverDown, synced } from './support/offline-steps.ts'
import { member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, openUpload, pickFile, row, uploadPanel } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'

const site = journey()
const title = 'The father who ran'
const pdf = samplePdf('The father who ran. '.repeat(300))
const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })

test('handouts are attached, and opened offline', async () => {
  const { uid, date, ...words } = await site.add(mp3('a.mp3'), {
    title,
    speaker: 'Jane Doe',
    date: '2026-11-15',
  })
  const allow = [...offlineErrors, ...serverDown, /415 .*handouts/]
  const page = await site.visit('/teaching', { as: member, allow })
  await attach(page)
  const [outline, map] = (await site.list())[0]!.handouts!
  expect([outline!.name, map!.name]).toEqual(['Outline of the parable.pdf', 'Map.png'])

  await synced(page)
  await save(page, title)
  await comesTo(() => storedOn(page), 2)
  await seeStorage(page)
  const path = teachingPath({ ...words, uid, date })
  const drawn = await (await fetch(site.url + path, { headers: { accept: 'text/html' } })).text()
  expect(drawn).toMatch(/href="\/handouts\/[0-9a-f]{64}\.pdf"[^>]*>.*Outline of the parable/s)
  await page.goto(site.url + path)
  expect(await violations(page)).toEqual([])
  await page.context().setOffline(true)
  await page.reload()
  const links = page.getByRole('main').getByRole('link')
  await links.filter({ hasText: 'Outline of the parable' }).waitFor()
  expect(await hashAt(page, links.filter({ hasText: 'Outline of the parable' }))).toBe(
    createHash('sha256').update(pdf).digest('hex'),
  )
  const opened = page.waitForEvent('popup')
  await links.filter({ hasText: 'Map' }).click()
  const viewer = await opened
  await comesTo(() => viewer.evaluate(() => document.images[0]?.naturalWidth), 640)
  await viewer.close()

  // As if the browser had removed them.
  await page.evaluate((name) => caches.delete(name), handoutCache)
  await page.reload()
  await page.getByText('Not on this device').first().waitFor()
  await comesTo(() => links.filter({ hasText: /Outline|Map/ }).count(), 0)

  await page.context().setOffline(false)
  await comesTo(() => storedOn(page), 2)
  await removeSaved(page)
  await comesTo(() => storedOn(page), 0)
})

nightly('those of a new recording wait with it, and a refused one is named', async () => {
  const allow = [...offlineErrors, ...serverDown, /415 .*handouts/]
  const page = await site.visit('/teaching', { as: member, firstVisit: true, allow })
  await synced(page)
  await page.context().setOffline(true)
  await pickFile(page, mp3('2026-11-22_Jane-Doe"The lost sheep".mp3'))
  const panel = uploadPanel(page)
  await panel
    .getByLabel('Handouts')
    .setInputFiles([
      file('Outline.pdf', 'application/pdf', pdf),
      file('notes.pdf', 'application/pdf', Buffer.from('not a PDF')),
      file('Map.png', 'image/png', plainPng(640, 480)),
    ])
  await panel.getByRole('button', { name: /^Upload Teaching/ }).click()
  await panel.getByText('Waiting for a connection').waitFor()
  await page.reload()
  await page.context().setOffline(false)
  const sheep = async () => (await site.list()).find((each) => each.title === 'The lost sheep')
  await comesTo(async () => (await sheep())?.handouts?.map(({ name }) => name), ['Outline.pdf', 'Map.png'])
  await openUpload(page)
  await panel.getByText(/Its handout notes\.pdf was not saved: The content of this file/).waitFor()
})

/** Adds a wrong file, a PDF and a picture in the form of the teaching. */
async function attach(page: Page): Promise<void> {
  await row(page, title).getByRole('button', { name: /^Edit/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Sermon' })
  const input = dialog.getByLabel('Add handout')
  await input.setInputFiles(file('notes.pdf', 'application/pdf', Buffer.from('not a PDF')))
  await dialog.getByText(texts.wrongType).waitFor()
  await input.setInputFiles(file('Outline of the parable.pdf', 'application/pdf', pdf))
  await dialog.getByRole('button', { name: 'Remove Outline of the parable' }).waitFor()
  await input.setInputFiles(file('Map.png', 'image/png', plainPng(640, 480)))
  await dialog.getByRole('button', { name: 'Remove Map' }).waitFor()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
}

/** The number of handouts that the device has stored. */
const storedOn = (page: Page): Promise<number> =>
  page.evaluate(async (name) => (await (await caches.open(name)).keys()).length, handoutCache)

/** The meter names the recording with its handouts. */
async function seeStorage(page: Page): Promise<void> {
  const { audioBytes, handouts } = (await site.list()).find((each) => each.title === title)!
  const bytes = handouts!.reduce((sum, each) => sum + each.bytes, audioBytes!)
  expect(bytes - audioBytes!).toBeGreaterThan(1_000)
  await page.getByRole('button', { name: 'Settings' }).first().click()
  const settings = page.getByRole('dialog', { name: 'Settings' })
  await settings.getByText(new RegExp(`^${Math.round(bytes / 1_000)} kB used of about`)).waitFor()
  await page.keyboard.press('Escape')
}

/** Of the bytes behind a link, as the page gets them. */
async function hashAt(page: Page, link: Locator): Promise<string> {
  return page.evaluate(
    async (address) => {
      const bytes = await (await fetch(address)).arrayBuffer()
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
    },
    (await link.getAttribute('href'))!,
  )
}

/** Removes the saved recording in the sheet of everything that is saved. */
async function removeSaved(page: Page): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('button', { name: `Saved: ${title}` })
    .click()
  await page.getByRole('button', { name: 'Manage saved teaching' }).click()
  await page.getByRole('button', { name: `Remove ${title}` }).click()
  const question = page.getByRole('dialog', { name: `Remove “${title}”?` })
  await question.getByRole('button', { name: 'Remove', exact: true }).click()
}
