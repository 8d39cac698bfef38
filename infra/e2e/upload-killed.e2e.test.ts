import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { member } from './support/people.ts'
import { mp3, onDisk } from './support/recordings.ts'
import { comesTo, pickFile, play, row, seeToast, titles, uploadPanel } from './support/screens.ts'
import { throttleUploads } from './support/upload-steps.ts'

const site = journey()
beforeEach(async () => {
  if (site.product.process.signalCode) await site.startAgain()
  await site.empty()
})

/** Console messages while the server is down: failed calls, the event stream, a worker update. */
const away = [
  /^net::ERR_(CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|SOCKET_NOT_CONNECTED) /,
  'An unknown error occurred when fetching the script.',
]

const folder = (kind: 'audio' | 'uploads') => path.join(site.product.dataDir, kind)
const send = (page: Page) =>
  uploadPanel(page)
    .getByRole('button', { name: /^Upload (Teaching|\d+ teachings)$/ })
    .click()

/** Fires the online event, which ends every backoff. */
const goOnline = (page: Page) => page.evaluate(() => void dispatchEvent(new Event('online')))

/** Opens the library and syncs, which also loads the toast code. */
async function openLibrary(): Promise<Page> {
  const page = await site.visit('/teaching', { as: member, allow: away })
  await page.getByRole('button', { name: 'Sync' }).click()
  await seeToast(page, 'Cache Synchronized')
  return page
}

/** Waits until more than a quarter of the recording, but not all, is on disk. */
async function halfWay(bytes: number): Promise<void> {
  await comesTo(async () => {
    const parts = await readdir(folder('uploads'))
    const sizes = await Promise.all(
      parts.map(async (part) => (await stat(path.join(folder('uploads'), part))).size),
    )
    return sizes.some((size) => size > bytes / 4)
  }, true)
}

test('an upload resumes after the server was killed', async () => {
  const there = await site.add(mp3('a.mp3'), {
    title: 'There before',
    speaker: 'Jane Doe',
    date: '2026-11-15',
  })
  const files = await readdir(folder('audio'))
  const page = await openLibrary()
  const recording = mp3('2026-11-22_John-Smith"Hope in Christ".mp3', { bytes: 8_000_000, isShort: true })
  await pickFile(page, recording)
  await uploadPanel(page).getByText('Filename Parsed Successfully').waitFor()
  await throttleUploads(page, 2_000_000)
  await send(page)
  await halfWay(recording.buffer.length)
  await site.product.kill()
  await uploadPanel(page).getByText('Waiting for a connection').waitFor()
  expect(await readdir(folder('uploads'))).not.toEqual([])

  await site.startAgain()
  expect(await site.list()).toEqual([there])
  expect(await readdir(folder('audio'))).toEqual(files)

  // It resumes by itself at its offset.
  await throttleUploads(page, -1)
  await goOnline(page)
  await seeToast(page, 'File upload successful', 'Hope in Christ')
  expect(await readdir(folder('uploads'))).toEqual([])
  await comesTo(() => titles(page), ['Hope in Christ', 'There before'])
  await play(page, 'Hope in Christ')
})

test('a replacement resumes after the server was killed', async () => {
  const first = mp3('a.mp3')
  const there = await site.add(first, { title: 'Hope', speaker: 'Jane Doe', date: '2026-11-15' })
  const files = await readdir(folder('audio'))
  const page = await openLibrary()
  await row(page, 'Hope').getByRole('button', { name: 'Edit Hope' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Sermon' })
  const replacement = mp3('replacement.mp3', { bytes: 8_000_000, isShort: true })
  await dialog.getByLabel('Title').fill('Changed')
  await dialog.getByLabel('Replacement audio').setInputFiles(onDisk(replacement))
  await throttleUploads(page, 2_000_000)
  await dialog.getByRole('button', { name: 'Update' }).click()
  await halfWay(replacement.buffer.length)
  await site.product.kill()
  await uploadPanel(page).getByText('Waiting for a connection').waitFor()

  await site.startAgain()
  expect(await site.list()).toEqual([there])
  expect(await readdir(folder('audio'))).toEqual(files)
  const kept = Buffer.from(await (await fetch(site.url + there.audioUrl!)).arrayBuffer())
  expect(kept.equals(first.buffer)).toBe(true)

  await throttleUploads(page, -1)
  await goOnline(page)
  await seeToast(page, 'Teaching updated successfully')
  await row(page, 'Changed').waitFor()
  const { audioUrl } = (await site.list())[0]!
  const now = Buffer.from(await (await fetch(site.url + audioUrl!)).arrayBuffer())
  expect(now.equals(replacement.buffer)).toBe(true)
})
