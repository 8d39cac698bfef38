import { readdir } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { call } from '@fellowship/sync/call/call'
import { isMissing, lftpArgs } from '../../testing/sftp-programs.ts'
import { aRecording, sftpApp } from '../../testing/sftp.ts'

vi.setConfig({ testTimeout: 300_000 })
const app = await sftpApp()
const admin = await app.signedIn('admin')
await app.serving.reconcile()
const port = await app.port()

/** Sends files under their names, in this order. */
async function send(files: Record<string, string | Buffer>) {
  const commands: string[] = []
  for (const [name, content] of Object.entries(files)) {
    const local = `${commands.length}.bin`
    await app.file(local, Buffer.from(content))
    commands.push(`put ${local} -o "${name.replaceAll('"', String.raw`\"`)}"`)
  }
  const { code, output } = await app.run(
    'lftp',
    lftpArgs({ port, password: app.password }, [...commands, 'cls -l'].join('; ')),
  )
  expect(code, output).toBe(0)
  return output
}
const vtt = (words: string) => `WEBVTT\n\n00:00.000 --> 00:01.000\n${words}\n`
const nameOf = (title: string) => `2026-11-22_Sam-Desk"${title}"`

async function draftOf(title: string) {
  const teaching = (await app.teachings()).find((each) => each.title === title)!
  const { draft } = await call(transcripts.read, { params: { id: teaching.id } }, admin)
  return draft && [draft.source, draft.savedBy, draft.sentences.map(({ text }) => text).join(' ')]
}

test.skipIf(isMissing('lftp')).each([
  ['the text first', ['vtt', 'mp3']],
  ['the recording first', ['mp3', 'vtt']],
])('a caption file is taken with its recording: %s', async (title, order) => {
  const contents: Record<string, string | Buffer> = { vtt: vtt(title), mp3: await aRecording() }
  const files = order.map((ending) => [`${nameOf(title)}.${ending}`, contents[ending]!])
  const listed = await send(Object.fromEntries(files) as Record<string, string | Buffer>)
  expect(listed).toContain(`${title}".vtt`)
  expect(await draftOf(title)).toEqual(['sftp', 'the sound desk', title])
  await send({ [`${nameOf(title)}.en.SRT`]: '1\n00:00:00,000 --> 00:00:01,000\nCorrected\n' })
  expect((await draftOf(title))?.[2]).toBe('Corrected')
  expect(await readdir(app.staging)).toEqual([])
})

test.skipIf(isMissing('lftp'))('a text waits until its recording leaves the Inbox', async () => {
  await send({ 'Sunday morning.txt': 'Plain words.', 'Sunday morning.mp3': await aRecording() })
  const [item] = (await call(inbox.list, {}, admin)).items
  const body = {
    title: 'Waited',
    speaker: 'Sam',
    date: '2026-11-22',
    scriptureReference: '',
    acceptSound: true,
  }
  await call(inbox.publish, { params: { id: item!.id }, body }, admin)
  expect((await draftOf('Waited'))?.[2]).toBe('Plain words.')
})

test.skipIf(isMissing('lftp'))('a damaged text waits in the Inbox with its line', async () => {
  await send({ [`${nameOf('Damaged')}.vtt`]: 'WEBVTT\n\n00:00.000 --> 00:9x\nWords\n' })
  const [item] = (await call(inbox.list, {}, admin)).items
  expect([item!.filename, item!.isUnfit]).toEqual([`${nameOf('Damaged')}.vtt`, true])
  expect(item!.reason).toMatch(/^Line 3 /)
})

test.skipIf(isMissing('lftp'))('a text goes to the teaching with the fields of its name', async () => {
  await app.context.sql`
    insert into teachings (title, speaker, date, year) values ('By form', 'Sam Desk', '2026-11-22', 2026)`
  await send({ [`${nameOf('By form')}.sbv`]: '0:00:00.000,0:00:01.000\nFound\n' })
  expect((await draftOf('By form'))?.[2]).toBe('Found')
})
