import { describe, expect, test } from 'vitest'
import { audit } from '@fellowship/schema/audit/audit.contract'
import { chapters } from '@fellowship/schema/chapters/chapters.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { blobBytes } from '@fellowship/sound/read/bytes'
import { readChapters } from '@fellowship/sound/read/metadata'
import { id3Tag } from '@fellowship/sound/write/id3'
import { fixture } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const person = await app.signedIn()
const body = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
const tag = id3Tag({ ...body, chapters: '0:00 Notices\n0:01 Sermon: hope\n59:00 Beyond the end' })
const file = new File([tag, new Uint8Array(await fixture('cbr.mp3'))], 'hope.mp3')
const { teaching } = await call(uploads.smartUpload, { body, files: { audioFile: file } }, person)
const edit = (text: string) =>
  call(teachings.update, { params: { id: teaching.id }, body: { ...body, chapters: text } }, person)
const read = (uid: string) => call(chapters.read, { params: { uid } }, app.client())

test('a new recording brings the chapters of its tag along', () => {
  expect(teaching.chapters).toBe('0:00 Notices\n0:01 Sermon: hope (teaching starts here)')
})

describe('refused', () => {
  test.each([
    ['no times', 'Welcome', /need a time/],
    ['another order', '0:01 One\n0:00 Two', /does not begin after/],
    ['a time after the end', '0:00 One\n30:00 Two', /“Two” does not/],
    ['control characters', '0:00 One\u0000', /control characters/],
  ])('%s', async (_, text, sentence) => {
    expect(await refusal(edit(text))).toMatchObject({
      status: 400,
      message: expect.stringMatching(sentence) as string,
    })
    expect((await call(teachings.list, {}, person))[0]!.chapters).toBe(teaching.chapters)
  })

  test('a teaching without chapters has no document', async () => {
    await edit('')
    expect((await refusal(read(teaching.uid))).status).toBe(404)
    expect((await refusal(read('01900000-0000-7000-8000-000000000001'))).status).toBe(404)
  })
})

test('edited chapters are in feed, document, download and audit', async () => {
  await edit('0:00 Welcome\n0:01 (teaching starts here)')
  expect(await read(teaching.uid)).toEqual({
    version: '1.2.0',
    chapters: [
      { startTime: 0, title: 'Welcome' },
      { startTime: 1, title: 'Teaching starts here', teaching: true },
    ],
  })
  const feed = await (await fetch(`${app.url}/feed.xml`)).text()
  expect(feed).toContain(
    `${app.url}/api/teachings/${teaching.uid}/chapters" type="application/json+chapters"`,
  )
  const download = await (await fetch(`${app.url}${teaching.audioUrl}?download=1`)).blob()
  expect(await readChapters(blobBytes(download))).toEqual([
    { seconds: 0, title: 'Welcome' },
    { seconds: 1, title: 'Teaching starts here' },
  ])
  const lines = await call(audit.list, {}, await app.signedIn('admin'))
  expect(JSON.stringify(lines)).toContain('chapters')
})
