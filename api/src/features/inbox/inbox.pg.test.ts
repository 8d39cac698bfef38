import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { clusterNode, nodeIdOf } from '../../cluster/cluster.ts'
import { configuredStorage } from '../../machine/storage/configured-storage.ts'
import { fixture, longWav } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'
import { insertArrival } from './inbox.sql.ts'
import { listInbox, publishInbox, receiveArrival, sweepInbox } from './inbox.ts'

const app = await testApp()
const { node, storage } = app.context

async function arrive(filename: string, bytes: Uint8Array) {
  const file = path.join(storage.inbox.dropFolder, filename)
  await writeFile(file, bytes)
  await receiveArrival(app.context, { filename, file, bytes: bytes.length })
  return (await listInbox(app.context)).find((item) => item.filename === filename)
}

test('a misnamed FLAC asks for an MP3, not for fields', async () => {
  const flac = Buffer.concat([Buffer.from('fLaC\0\0\0\x22', 'latin1'), Buffer.alloc(2_000)])
  expect(await arrive('2026-11-22_Sam-Desk"Hope".flac', flac)).toMatchObject({
    fix: 'Export the recording again as MP3 and send it again; then delete this one.',
  })
})

test('a misnamed MP3 asks for corrected fields', async () => {
  expect(await arrive('Evening meeting.mp3', await fixture('cbr.mp3'))).toMatchObject({
    fix: 'Correct the fields and publish.',
  })
})

test('a repeated recording waits as duplicate, or mends the library', async () => {
  const recording = await fixture('vbr-xing.mp3')
  expect(await arrive('2026-11-22_Sam-Desk"Mended".mp3', recording)).toBeUndefined()
  expect(await arrive('2026-11-23_Sam-Desk"Again".mp3', recording)).toMatchObject({
    reason: 'Duplicate sermon detected: Mended, Sam Desk, 22 November 2026',
  })
  const file = path.join(app.dataDir, 'audio', `${createHash('sha256').update(recording).digest('hex')}.mp3`)
  await writeFile(file, recording.subarray(0, 100))
  expect(await arrive('2026-11-24_Sam-Desk"Mends".mp3', recording)).toBeUndefined()
  expect((await readFile(file)).equals(recording)).toBe(true)
})

describe('with several processes on one database', () => {
  test('a sweep ignores arrivals at another process', async () => {
    const other = await beside()
    const filename = '2026-11-22_Sam-Desk"Elsewhere".mp3'
    const bytes = await fixture('cbr.mp3')
    const file = path.join(storage.inbox.dropFolder, filename)
    await writeFile(file, bytes)
    const id = uuidv7(Date.now())
    // As after a crash between the row and the file's move.
    await insertArrival(app.context.sql, {
      id,
      filename,
      takenFrom: file,
      bytes: bytes.length,
      nodeId: node.id,
    })
    await sweepInbox(other)
    expect(await app.context.sql`select state from inbox where id = ${id}`).toEqual([{ state: 'arriving' }])
    await sweepInbox(app.context)
    expect(await app.context.sql`select title from teachings where uid = ${id}`).toEqual([
      { title: 'Elsewhere' },
    ])
  })

  test('only the process that has an item publishes it', async () => {
    const other = await beside()
    const item = await arrive('Morning meeting.mp3', Buffer.concat([...longWav(200_000, 77)]))
    const fields = { title: 'There', speaker: 'Sam Desk', date: '2026-11-22', scriptureReference: '' }
    const admin = await app.signedIn('admin')
    const actor = (await call(auth.currentUser, {}, admin)).user!
    await expect(publishInbox(other, item!.id, fields, actor)).rejects.toMatchObject({
      code: 'upload_busy',
      message: expect.stringContaining('at another process of the server') as string,
    })
    expect((await publishInbox(app.context, item!.id, fields, actor)).title).toBe('There')
  })

  async function beside() {
    const folder = await mkdtemp(path.join(tmpdir(), 'inbox-beside-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    return {
      ...app.context,
      node: clusterNode(app.context, nodeIdOf(folder)),
      storage: configuredStorage({ ...app.context.config, dataDir: folder }, 'other'),
    }
  }
})
