import { readdir, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { member } from './support/people.ts'
import { mp3, onDisk, wav } from './support/recordings.ts'
import {
  comesTo,
  dropFile,
  hold,
  openUpload,
  pickFile,
  row,
  seeToast,
  titles,
  uploadPanel,
} from './support/screens.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()
const folder = temporaryFolder()

beforeEach(() => site.empty())

const send = (page: Page) =>
  uploadPanel(page)
    .getByRole('button', { name: /^Upload (Teaching|\d+ teachings)$/ })
    .click()
const field = (page: Page, label: string) => uploadPanel(page).getByLabel(label, { exact: true })
const parsed = (page: Page) =>
  uploadPanel(page).getByText('Filename Parsed Successfully', { exact: true }).waitFor()

/** The panel is empty, as before a file was chosen. */
async function isReset(page: Page): Promise<void> {
  await uploadPanel(page).getByText('Drop an audio file here').waitFor()
  expect(await field(page, 'Title').count()).toBe(0)
}

const filesOf = async (kind: 'audio' | 'staging' | 'uploads') =>
  (await readdir(path.join(site.product.dataDir, kind))).sort()

/** The refusal after the whole file was uploaded and probed. */
const refusedAtTheEnd = (status: number) => new RegExp(`^${status} /api/uploads/[0-9a-f-]+/finalize$`)

/** Cancels an upload, which leaves no file on the device or the server. */
async function giveUp(page: Page, title: string): Promise<void> {
  const panel = uploadPanel(page)
  await panel.getByRole('button', { name: `Cancel: ${title}` }).click()
  await panel.getByText(title, { exact: true }).waitFor({ state: 'detached' })
  await comesTo(async () => [...(await filesOf('staging')), ...(await filesOf('uploads'))], [])
}

nightly('the submit checks report one missing field at a time, in order', async () => {
  const page = await site.visit('/teaching', { as: member })
  await openUpload(page)
  await send(page)
  await seeToast(page, 'No File Selected', 'Please select an audio file to upload')

  const release = await hold(page, '**/api/sermons/parse-filename')
  await pickFile(page, mp3('2026-11-22_Jane-Doe"Hope".mp3'))
  await uploadPanel(page).getByText('Reading the file name…').waitFor()
  await send(page)
  await seeToast(page, 'No Data Available')
  release()
  await parsed(page)

  for (const label of ['Title', 'Speaker', 'Scripture Reference', 'Date']) await field(page, label).fill('')
  await send(page)
  await seeToast(page, 'Missing Speaker', 'Speaker name is required')
  await field(page, 'Speaker').fill('Jane Doe')
  await send(page)
  await seeToast(page, 'Missing Title or Scripture', 'Either a title or scripture reference is required')
  await field(page, 'Scripture Reference').fill('Psalm 46:1-11')
  await send(page)
  await seeToast(page, 'Missing Date', 'A valid date is required')
  expect(await site.list()).toEqual([])

  await field(page, 'Date').fill('2026-11-22')
  await send(page)
  await row(page, 'Psalm 46:1-11').waitFor()
})

nightlySuite('duplicates', () => {
  const name = '2026-11-22_Jane-Doe"Hope"_Psalm_46_1-11.mp3'
  const first = mp3(name)
  const fields = {
    title: 'Hope',
    speaker: 'Jane Doe',
    date: '2026-11-22',
    scriptureReference: 'Psalm 46:1-11',
  }

  test('refuses the same date, speaker and title before sending', async () => {
    await site.add(first, fields)
    const page = await site.visit('/teaching', {
      as: member,
      allow: ['409 /api/sermons/check-duplicate'],
    })
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await pickFile(page, mp3(name))
    await parsed(page)
    const release = await hold(page, '**/api/sermons/check-duplicate')
    await send(page)
    await uploadPanel(page).getByRole('button', { name: 'Checking for duplicates...' }).waitFor()
    release()
    await seeToast(
      page,
      'Duplicate Teaching Detected',
      'Duplicate sermon detected: Hope, Jane Doe, 22 November 2026',
    )
    expect(sent).toContain('/api/sermons/check-duplicate')
    expect(sent).not.toContain('/api/uploads')

    await page.getByRole('button', { name: 'Close this message' }).click()
    const mark = uploadPanel(page).getByText('Duplicate Teaching Detected', { exact: true })
    await mark.waitFor()
    // Closing the toast leaves it in sight and focused.
    await comesTo(() => page.evaluate(() => document.activeElement?.matches('[data-refusal]')), true)
    await uploadPanel(page).getByRole('link', { name: 'Show it in the library' }).click()
    await page.getByRole('heading', { name: 'Hope', level: 1 }).waitFor()
    await page.goBack()
    await mark.waitFor()
    expect(await uploadPanel(page).getByText('Filename Parsed Successfully').count()).toBe(0)
    await field(page, 'Title').fill('Another hope')
    await parsed(page)
    await field(page, 'Scripture Reference').fill('')
    await send(page)
    await comesTo(() => titles(page), ['Another hope', 'Hope'])
  })

  test('accepts one of two concurrent identical uploads', async () => {
    const twice = ['2026-11-22_Jane-Doe"One".mp3', '2026-11-22_John-Smith"Two".mp3']
    const both = await Promise.all(
      twice.map(async (twin) => {
        const page = await site.visit('/teaching', {
          as: member,
          allow: [refusedAtTheEnd(409)],
        })
        await pickFile(page, { ...first, name: twin })
        await parsed(page)
        const release = await hold(page, '**/api/uploads/*/finalize')
        await send(page)
        await uploadPanel(page).getByRole('button', { name: 'Uploading...' }).waitFor()
        return { page, release }
      }),
    )
    for (const { release } of both) release()
    for (const { page } of both) await isReset(page)
    await comesTo(async () => (await site.list()).length, 1)
    const messages = () =>
      Promise.all(
        both.map(async ({ page }) => {
          const message = page.getByRole('region', { name: /^Notifications/ }).getByRole('listitem')
          return (await message.innerText()).split('\n')[0]
        }),
      )
    await comesTo(
      async () => new Set(await messages()),
      new Set(['Duplicate Teaching', 'File upload successful']),
    )
  })
})

describe('invalid files', () => {
  nightly('refuses a dropped file without audio', async () => {
    const file = path.join(folder, 'notes.pdf')
    await writeFile(file, '%PDF-1.7')
    const page = await site.visit('/teaching', { as: member })
    await dropFile(page, file)
    await seeToast(page, 'Invalid File Type', 'Please select an audio file')
    await isReset(page)
  })

  test('refuses a known recording, and a text file named .mp3', async () => {
    const known = mp3('there.mp3')
    await site.add(known, { title: 'There before', speaker: 'Jane Doe', date: '2026-11-15' })
    const before = await filesOf('audio')
    const page = await site.visit('/teaching', {
      as: member,
      allow: [refusedAtTheEnd(409), refusedAtTheEnd(415)],
    })
    await pickFile(page, { ...known, name: '2025-01-05_John-Smith"Something else".mp3' })
    await parsed(page)
    await send(page)
    await seeToast(
      page,
      'Duplicate Teaching',
      'This teaching file has already been uploaded. Please check the teaching list.',
    )
    await isReset(page)
    await comesTo(() => titles(page), ['There before'])
    await giveUp(page, 'Something else')

    await pickFile(page, {
      name: '2026-11-22_Jane-Doe"Only words".mp3',
      mimeType: 'audio/mpeg',
      buffer: Buffer.from('In the beginning was the Word. '.repeat(5_000)),
    })
    await parsed(page)
    const sentence =
      'This file is not an MP3, WAV or M4A recording. Export it in one of these formats and try again.'
    await uploadPanel(page).getByText(sentence).waitFor()
    await send(page)
    await seeToast(page, 'Upload Failed', sentence)
    expect(await filesOf('audio')).toEqual(before)
    await comesTo(() => titles(page), ['There before'])
    const panel = uploadPanel(page)
    expect(await panel.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    // Another file has the entered details.
    await panel.getByLabel('Choose another file').setInputFiles(wav('Words and sound.wav'))
    await comesTo(() => titles(page), ['Only words', 'There before'])
  })

  nightly('offers three ways for a recording whose end is missing', async () => {
    const whole = wav('2026-11-22_Jane-Doe"Cut off".wav')
    const cut = { ...whole, buffer: whole.buffer.subarray(0, 16_044) }
    const page = await site.visit('/teaching', { as: member, allow: [refusedAtTheEnd(422)] })
    const panel = uploadPanel(page)
    await pickFile(page, cut)
    await parsed(page)
    const sentence = panel.getByText(uploadTexts.cutOff('0:01', '0:03'))
    await sentence.waitFor()
    await send(page)
    await panel.getByRole('button', { name: 'Publish what is there (0:01)' }).waitFor()
    await sentence.waitFor()
    await page.reload()
    await sentence.waitFor()
    expect(await site.list()).toEqual([])
    await panel.getByRole('button', { name: 'Discard' }).waitFor()

    // Another file takes its place, with the same fields.
    const longer = { ...whole, buffer: whole.buffer.subarray(0, 24_044) }
    const chooser = page.waitForEvent('filechooser')
    await panel.getByRole('button', { name: 'Choose the file again' }).click()
    await (await chooser).setFiles(longer)
    await panel.getByText(uploadTexts.cutOff('0:02', '0:03')).waitFor()
    await comesTo(() => sentence.count(), 0)

    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    await panel.getByRole('button', { name: 'Publish what is there (0:02)' }).click()
    await row(page, 'Cut off').getByText('0:02', { exact: true }).waitFor()
    expect(sent).not.toContain('PATCH')
    await comesTo(async () => [...(await filesOf('staging')), ...(await filesOf('uploads'))], [])
  })

  nightly('refuses more than 100 MB', async () => {
    const file = path.join(folder, '2026-11-22_Jane-Doe"Too long".mp3')
    await writeFile(file, mp3('long.mp3').buffer)
    await truncate(file, 100 * 1024 * 1024 + 1)
    const page = await site.visit('/teaching', { as: member })
    await pickFile(page, file)
    await seeToast(page, 'Upload Failed', 'The file is larger than 100MB. Export it as MP3 and try again.')
    await isReset(page)
  })
})

nightly('asks before leaving with a chosen recording', async () => {
  const page = await site.visit('/teaching', { as: member })
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await pickFile(page, mp3('2026-11-22_Jane-Doe"Hope".mp3'))
  await parsed(page)
  await page.evaluate(() => void setTimeout(() => location.reload()))
  await comesTo(() => asked, ['beforeunload'])
  await comesTo(() => field(page, 'Title').inputValue(), 'Hope')
  await uploadPanel(page).getByRole('button', { name: 'Clear' }).click()
  await page.reload()
  await openUpload(page)
  await isReset(page)
  expect(asked).toEqual(['beforeunload'])
})

nightlySuite('several files at once', () => {
  test('unsuitable files stay listed with reasons', async () => {
    const [text, long] = [path.join(folder, 'notes.pdf'), path.join(folder, 'long.mp3')]
    await writeFile(text, 'For Sunday')
    await writeFile(long, '')
    await truncate(long, 100 * 1024 * 1024 + 1)
    const good = onDisk(mp3('2026-11-22_Jane-Doe"Hope".mp3'))
    const page = await site.visit('/teaching', { as: member })
    await openUpload(page)
    await uploadPanel(page).getByLabel('Audio file').setInputFiles([text, long, good])
    await seeToast(
      page,
      'Some Files Were Left Out',
      'notes.pdf and long.mp3 cannot be uploaded. The list in the panel says why.',
    )
    await parsed(page)
    const refused = uploadPanel(page)
      .getByRole('list', { name: 'Files that cannot be uploaded' })
      .getByRole('listitem')
    const line = (name: string) => refused.filter({ hasText: name })
    await page.getByRole('button', { name: 'Close this message' }).click()
    await line('notes.pdf').getByText('This is not an audio file.').waitFor()
    await line('long.mp3').getByText('The file is larger than 100MB.').waitFor()

    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await page.getByRole('button', { name: 'Remove notes.pdf' }).press('Enter')
    await comesTo(() => refused.count(), 1)
    await expect.poll(focused).toContain('long.mp3')
    await page.getByRole('button', { name: 'Remove long.mp3' }).press('Enter')
    await comesTo(() => refused.count(), 0)
    await comesTo(() => page.evaluate(() => document.activeElement?.tagName !== 'BODY'), true)
    const captions = path.join(folder, 'talk.vtt')
    await writeFile(captions, 'Grace to you.')
    await dropFile(page, captions)
    await seeToast(page, 'Text Added')
    const chosen = uploadPanel(page).getByLabel('Text of the recording')
    await comesTo(() => chosen.inputValue(), String.raw`C:\fakepath\talk.vtt`)
    await send(page)
    await row(page, 'Hope').waitFor()
    const [{ id }] = (await site.list()) as [Teaching]
    const read = async () => call(transcripts.read, { params: { id } }, await site.session())
    await comesTo(
      () =>
        read().then(
          ({ draft }) => draft?.sentences.map(({ text }) => text),
          () => undefined,
        ),
      ['Grace to you.'],
    )
  })
})

nightlySuite('unparsable file names', () => {
  test('lists name issues and accepts the corrected recording', async () => {
    const page = await site.visit('/teaching', { as: member })
    await pickFile(page, mp3('22-11-2026 sermon_Romans_17_1.mp3'))
    const panel = uploadPanel(page)
    const status = panel.getByRole('status').filter({ hasText: 'Parsing Issues Found' })
    const issues = status.getByRole('listitem')
    await issues.first().waitFor()
    expect(await issues.allTextContents()).toEqual([
      'Name must start with a date such as 2026-11-22, year first, followed by an underscore.',
      'Name must give the speaker after the date, first and last name joined by a hyphen, such as 2026-11-22_John-Smith.',
      'Romans has 16 chapters. Scripture must be written Book_Chapter_StartVerse-EndVerse, such as Romans_8_28-39 or Genesis_1_26-2_3.',
    ])
    await field(page, 'Title').fill('From the phone')
    await field(page, 'Speaker').fill('Jane Doe')
    await field(page, 'Date').fill('2026-11-22')
    await field(page, 'Scripture Reference').fill('')
    await send(page)
    await row(page, 'From the phone').waitFor()
    await isReset(page)
  })

  test('accepts typed details when the parser is unavailable', async () => {
    const page = await site.visit('/teaching', { as: member, allow: ['503 /api/sermons/parse-filename'] })
    await page.route('**/api/sermons/parse-filename', (route) => route.fulfill({ status: 503 }))
    await pickFile(page, mp3('2026-11-22_Jane-Doe"Hope".mp3'))
    await seeToast(page, 'Parsing Failed', 'Please enter the sermon details manually')
    await uploadPanel(page).getByText('Failed to parse filename', { exact: true }).waitFor()
    await field(page, 'Title').fill('By hand')
    await field(page, 'Speaker').fill('Jane Doe')
    await field(page, 'Date').fill('2026-11-22')
    await send(page)
    await row(page, 'By hand').waitFor()
  })
})
