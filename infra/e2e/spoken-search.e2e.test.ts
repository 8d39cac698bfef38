import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { save, serverDown, sound, synced } from './support/offline-steps.ts'
import { stereoWav } from './support/recordings.ts'
import { comesTo, sounds } from './support/screens.ts'

const site = journey()

const captions = `WEBVTT

00:00.000 --> 00:09.000
A certain man had two sons.

00:10.000 --> 00:19.000
The younger went into a far country.

00:20.000 --> 00:29.000
There he wasted it with riotous living.
`

test('offline, a press on a sentence plays two seconds before', async () => {
  const fields = { title: 'The father who ran', speaker: 'Jane Doe', date: '2026-11-15' }
  const { id } = await site.add(stereoWav('talk.wav', 40), fields)
  const session = await site.session()
  const files = { transcript: new File([captions], 'talk.vtt', { type: 'text/vtt' }) }
  await call(transcripts.save, { params: { id }, files }, session)
  await call(transcripts.approve, { params: { id }, body: {} }, session)

  const first = await site.visit('/teaching', { firstVisit: true, allow: serverDown })
  await synced(first)
  await save(first, fields.title)
  await comesTo(() => storedTexts(first), 1)
  await site.product.kill()

  const page = await site.visitBeside(first, '/teaching', serverDown)
  await page.getByRole('searchbox').fill('riotuos')
  await page.getByRole('heading', { name: 'In what was said (1)' }).waitFor()
  const sentence = page.getByRole('button', {
    name: /^Play The father who ran from 20 seconds: There he wasted/,
  })
  expect(await sentence.locator('mark').allTextContents()).toEqual(['riotous'])
  await sentence.click()
  await sounds(page)
  const { at } = await sound(page)
  expect(Math.abs(at - 18)).toBeLessThan(1.5)
})

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
