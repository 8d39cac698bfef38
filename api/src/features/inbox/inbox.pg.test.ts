import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'
import { listInbox, receiveArrival } from './inbox.ts'

const app = await testApp()
const { storage } = app.context

async function arrive(filename: string, bytes: Uint8Array) {
  const file = path.join(storage.inbox.dropFolder, filename)
  await writeFile(file, bytes)
  await receiveArrival(app.context, { filename, file, bytes: bytes.length })
  return (await listInbox(app.context)).find((item) => item.filename === filename)
}

test('a FLAC under a name that breaks the rules asks for an MP3, not for corrected fields', async () => {
  const flac = Buffer.concat([Buffer.from('fLaC\0\0\0\x22', 'latin1'), Buffer.alloc(2_000)])
  expect(await arrive('2026-11-22_Sam-Desk"Hope".flac', flac)).toMatchObject({
    fix: 'Export the recording again as MP3 and send it again; then delete this one.',
  })
})

test('an MP3 under a name that breaks the rules asks for corrected fields', async () => {
  expect(await arrive('Evening meeting.mp3', await fixture('cbr.mp3'))).toMatchObject({
    fix: 'Correct the fields and publish.',
  })
})
