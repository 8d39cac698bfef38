import { speech } from '@fellowship/schema/speech/speech.contract'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { call } from '@fellowship/sync/call/call'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './support/axe.ts'
import { inSoak } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { save, serverDown, sound, synced } from './support/offline-steps.ts'
import { administrator, member } from './support/people.ts'
import { stereoWav } from './support/recordings.ts'
import { comesTo, row, seeToast, sounds } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'

const site = journey()
/** Console messages of pages without a connection, and without a server. */
const allow = [...offlineErrors, ...serverDown]

const captions = `WEBVTT

00:00.000 --> 00:09.000
A certain man had two sons. He was kind.

00:10.000 --> 00:19.000
The younger went to Zerubabel.

00:20.000 --> 00:29.000
There he waisted it with riotous living.
`

test('a text is corrected, also offline, approved, found and heard', async () => {
  const fields = { title: 'The father who ran', speaker: 'Jane Doe', date: '2026-11-15' }
  const teaching = await site.add(stereoWav('talk.wav', 40), fields)
  const admin = await site.session(administrator)
  await call(speech.change, { body: { words: 'Zerubbabel' } }, admin)
  const files = { transcript: new File(['An older text.'], 'older.txt') }
  await call(transcripts.save, { params: teaching, query: {}, files }, admin)

  const page = await site.visit('/teaching', { as: member, allow })
  await chooseCaptions(page, fields.title)
  await page.goto(site.url + teachingPath(teaching))
  const editor = await openEditor(page, 'Add or check the text')
  await correct(page, editor)
  await saveOffline(page, editor)

  // The draft is sent although no editor is open.
  await page.context().setOffline(false)
  await comesTo(async () => (await wordsOf(teaching))?.[0], 'A certain father had two sons.')
  const again = await openEditor(page, 'Add or check the text')
  await again.getByRole('button', { name: 'Approve' }).click()
  await again.getByText(texts.approved).waitFor()
  expect(await violations(page)).toEqual([])
  if (inSoak) {
    await restoreEarlier(page, again, teaching)
    await findOffline(fields.title)
  }
})

/** Adds a damaged file, then a good one, to the form of a teaching. */
async function chooseCaptions(page: Page, title: string): Promise<void> {
  await row(page, title).getByRole('button', { name: /^Edit/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Sermon' })
  const file = dialog.getByLabel('Text of the recording')
  const captionFile = (words: string) => ({
    name: 'talk.vtt',
    mimeType: 'text/vtt',
    buffer: Buffer.from(words),
  })
  await file.setInputFiles(captionFile(captions.replace('00:20.000', '00:2x')))
  await dialog.getByText(/^talk\.vtt: Line 9 has no times/).waitFor()
  await file.setInputFiles(captionFile(captions))
  await dialog.getByRole('button', { name: 'Update' }).click()
  await seeToast(page, texts.savedTitle)
}

async function openEditor(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name }).click()
  const editor = page.getByRole('dialog', { name: /^Text of / })
  await editor.getByRole('list').last().waitFor()
  return editor
}

/** Edits, splits, joins, replaces, checks a name, and undoes. */
async function correct(page: Page, editor: Locator): Promise<void> {
  const sentences = () => editor.locator('.words').allTextContents()
  const [first, second, third] = [
    'He was kind.',
    'The younger went to Zerubbabel.',
    'There he wasted it with riotous living.',
  ]
  await editor.getByRole('button', { name: 'Replace Zerubabel by Zerubbabel' }).click()
  await editor.getByText('Find and replace').click()
  await editor.getByLabel('Find').fill('waisted')
  await editor.getByLabel('Replace by').fill('wasted')
  await editor.getByRole('button', { name: 'Replace all' }).click()
  await comesTo(sentences, [`A certain man had two sons. ${first}`, second, third])

  await editor.getByRole('button', { name: /^A certain man/ }).click()
  const words = editor.getByRole('textbox', { name: 'Sentence' })
  await words.press('Home')
  for (const _ of 'A certain man had two sons. ') await words.press('ArrowRight')
  await editor.getByRole('button', { name: 'Split here' }).click()
  await comesTo(sentences, ['A certain man had two sons.', first, second, third])
  await words.press('Backspace')
  await comesTo(() => editor.locator('.words').count(), 3)
  await page.keyboard.press('Escape')
  await editor.getByRole('button', { name: 'Undo' }).click()
  await comesTo(sentences, ['A certain man had two sons.', first, second, third])
  await editor.getByRole('button', { name: 'Play from 0:10' }).click()
  await sounds(page)
  await editor.getByRole('button', { name: 'Pause' }).click()
  await editor.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await editor.getByRole('button', { name: 'Save' }).click()
  await editor.getByText(texts.saved).waitFor()
}

/** Changes a sentence without a connection; it is there again after a reload. */
async function saveOffline(page: Page, editor: Locator): Promise<void> {
  await synced(page)
  await page.context().setOffline(true)
  await editor.getByRole('button', { name: /^A certain man/ }).click()
  await editor.getByRole('textbox', { name: 'Sentence' }).fill('A certain father had two sons.')
  await editor.getByRole('button', { name: 'Save' }).click()
  await editor.getByText(texts.keptHere).waitFor()
  await page.reload()
  const again = await openEditor(page, 'Add or check the text')
  await again.getByRole('button', { name: /^A certain father/ }).waitFor()
  await again.getByText(texts.keptHere).waitFor()
  await again.getByRole('button', { name: 'Close the editor' }).click()
}

/** Makes the text that the file replaced the draft again. */
async function restoreEarlier(page: Page, editor: Locator, teaching: Teaching): Promise<void> {
  await editor.getByText('Earlier versions').click()
  const line = editor.getByRole('listitem').filter({ hasText: 'An older text.' })
  await line.getByText('1 sentence', { exact: true }).waitFor()
  expect(await violations(page)).toEqual([])
  await line.getByRole('button', { name: /^Restore the version of / }).click()
  const question = page.getByRole('dialog', { name: 'Restore this version' })
  await question.getByRole('button', { name: 'Restore' }).click()
  await editor.getByText(texts.restored).waitFor()
  await comesTo(() => editor.locator('.words').allTextContents(), ['An older text.'])
  await comesTo(() => wordsOf(teaching), ['An older text.'])
}

/** The sentences of the draft on the server. */
async function wordsOf({ id }: Teaching): Promise<string[] | undefined> {
  const { draft } = await call(transcripts.read, { params: { id } }, await site.session())
  return draft?.sentences.map(({ text }) => text)
}

/** A press on a sentence that is found without a server plays from two seconds before it. */
async function findOffline(title: string): Promise<void> {
  const page = await site.visit('/teaching', { allow: serverDown })
  await synced(page)
  await save(page, title)
  await comesTo(() => storedTexts(page), 1)
  await site.product.kill()

  await page.reload()
  await page.getByRole('searchbox').fill('riotuos')
  await page.getByRole('heading', { name: 'In what was said (1)' }).waitFor()
  const sentence = page.getByRole('button', {
    name: /^Play The father who ran from 20 seconds: There he wasted/,
  })
  await comesTo(() => sentence.locator('mark').allTextContents(), ['riotous'])
  await sentence.click()
  await sounds(page)
  const { at } = await sound(page)
  expect(Math.abs(at - 18)).toBeLessThan(1.5)
}

/** Texts that this device has stored with its recordings. */
const storedTexts = (page: Page) =>
  page.evaluate(async () => {
    const known = await indexedDB.databases()
    if (!known.some(({ name }) => name === 'spoken')) return 0
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('spoken')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error('not opened'))
    })
    const count = database.transaction('sentences').objectStore('sentences').count()
    await new Promise((resolve) => (count.onsuccess = resolve))
    database.close()
    return count.result
  })
