import { expect, test } from 'vitest'
import { imports } from '@fellowship/schema/imports/imports.contract'
import { call } from '@fellowship/sync/call/call'
import { feedItem, feedOf, oldSite, recordingOf } from '../../testing/old-site.ts'
import { testApp } from '../../testing/test-app.ts'
import { approvedTexts } from '../transcripts/transcripts.ts'
import { importWorker } from './import-worker.ts'

const app = await testApp()
const admin = await app.signedIn('admin')

test('the texts of a feed move in, approved; a damaged one stops nothing', async () => {
  const site = await oldSite()
  const texts: Record<string, string> = {
    Whole: '1\n00:00:01,000 --> 00:00:02,000\nGrace to you.\n',
    Damaged: 'WEBVTT\n\n00:0x --> 00:02.000\nLost\n',
  }
  const items: string[] = []
  for (const [at, title] of [...Object.keys(texts), 'Missing'].entries()) {
    site.answer(`/${title}.mp3`, await recordingOf(700 + at))
    if (texts[title]) site.answer(`/${title}.srt`, texts[title])
    const types = [
      ['text/html', 'page'],
      ['application/x-subrip', `${title}.srt`],
    ]
    const more = types
      .map(([type, name]) => `<podcast:transcript url="${site.url}/${name}" type="${type}"/>`)
      .join('')
    const words = { title, guid: title, pubDate: 'Sun, 05 Jan 2020 21:00:00 GMT', 'itunes:author': 'Sam' }
    items.push(feedItem({ ...words, enclosure: `${site.url}/${title}.mp3`, more }))
  }
  site.answer('/feed', feedOf(items))
  const { id } = await call(imports.create, { body: { source: `${site.url}/feed` } }, admin)
  const worker = importWorker(app.context, { guest: site.guest })
  await worker.runAll()
  await call(imports.confirm, { params: { id }, body: {} }, admin)
  await worker.runAll()
  const { items: done } = await call(imports.read, { params: { id } }, admin)
  const outcomes = Object.fromEntries(done.map(({ title, outcome, reason }) => [title, [outcome, reason]]))
  expect(outcomes).toEqual({
    Whole: ['imported', ''],
    Damaged: ['imported', expect.stringMatching(/^It moved in without its text\. Line 3 /)],
    Missing: ['imported', 'It moved in without its text. The address answers 404.'],
  })
  const approved = await approvedTexts(app.context.sql)
  expect(approved.map(({ sentences }) => sentences.map(({ text }) => text))).toEqual([['Grace to you.']])
})
