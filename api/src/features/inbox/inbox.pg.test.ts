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
  await outcomeOf(filename, bytes)
  return (await listInbox(app.context)).find((item) => item.filename === filename)
}

async function outcomeOf(filename: string, bytes: Uint8Array) {
  const file = path.join(storage.inbox.dropFolder, filename)
  await writeFile(file, bytes)
  return receiveArrival(app.context, { filename, file, bytes: bytes.length })
}

const recordingOf = (seed: number) => Buffer.concat([...longWav(100_000, seed)])
const named = (filename: string) => (items: { filename: string }[]) =>
  items.filter((item) => item.filename === filename)

test('a misnamed FLAC asks for an MP3, not for fields', async () => {
  const flac = Buffer.concat([Buffer.from('fLaC\0\0\0\x22', 'latin1'), Buffer.alloc(2_000)])
  expect(await arrive('2026-11-22_Sam-Desk"Hope".flac', flac)).toMatchObject({
    fix: 'Export the recording again as MP3 and send it again.',
  })
})

test('a misnamed MP3 asks for corrected fields', async () => {
  expect(await arrive('Evening meeting.mp3', await fixture('cbr.mp3'))).toMatchObject({
    fix: 'Correct the fields and publish.',
  })
})

test('a duplicate names the teaching without advice to delete', async () => {
  expect((await outcomeOf('2026-11-22_Sam-Desk"Once"_John_3.wav', recordingOf(11))).outcome).toBe('published')
  const item = await arrive('2026-11-22_Sam-Desk_John_3.wav', recordingOf(12))
  expect(item).toMatchObject({
    reason: 'Duplicate sermon detected: Once, Sam Desk, 22 November 2026',
    fix: 'Correct the fields and publish, or discard.',
    duplicateOf: { title: 'Once', speaker: 'Sam Desk', date: '2026-11-22' },
  })
  expect(JSON.stringify(item)).not.toMatch(/delete/i)
})

test('a recording of silence asks before it is published', async () => {
  const bytes = await fixture('speech.wav')
  const silent = bytes.fill(0, bytes.indexOf('data') + 8)
  const name = '2026-11-22_Sam-Desk"Nothing".wav'
  const item = await arrive(name, silent)
  expect(item).toMatchObject({ reason: 'There is no sound in it.', soundsWrong: true })
  const fields = { title: 'Nothing', speaker: 'Sam Desk', date: '2026-11-22', scriptureReference: '' }
  const actor = (await call(auth.currentUser, {}, await app.signedIn('admin'))).user!
  const publish = (more: object) =>
    publishInbox(app.context, item!.id, { ...fields, description: '', ...more }, actor)
  await expect(publish({})).rejects.toMatchObject({ code: 'sounds_wrong' })
  const published = await publish({ acceptSound: true })
  expect(published.title).toBe('Nothing')
  expect((await outcomeOf(name, silent)).outcome).toBe('known')
})

test('publishes two titles of one day and passage', async () => {
  const part = (n: number) => `2026-11-01_Mary-Jones"Grace Part ${n}"_Ephesians_2.wav`
  expect((await outcomeOf(part(1), recordingOf(21))).outcome).toBe('published')
  expect((await outcomeOf(part(2), recordingOf(22))).outcome).toBe('published')
})

describe('the same bytes again', () => {
  test('leave no item, whatever their name is', async () => {
    const name = '2026-11-22_Sam-Desk"Sent again".wav'
    expect((await outcomeOf(name, recordingOf(31))).outcome).toBe('published')
    const teaching = { title: 'Sent again' }
    expect(await outcomeOf(name, recordingOf(31))).toMatchObject({ outcome: 'known', teaching })
    expect(await outcomeOf('Sunday.wav', recordingOf(31))).toMatchObject({ outcome: 'known', teaching })
    const items = await listInbox(app.context)
    expect([...named(name)(items), ...named('Sunday.wav')(items)]).toEqual([])
  })

  test('wait once while they have no valid name', async () => {
    await arrive('Waits.wav', recordingOf(32))
    await arrive('Waits.wav', recordingOf(32))
    await arrive('Waits too.wav', recordingOf(32))
    const items = await listInbox(app.context)
    expect([...named('Waits.wav')(items), ...named('Waits too.wav')(items)]).toHaveLength(1)
    expect(named('Waits too.wav')(items)).toHaveLength(1)
  })

  test('end the wait when they come under a valid name', async () => {
    await arrive('Misnamed.wav', recordingOf(33))
    expect((await outcomeOf('2026-11-22_Sam-Desk"Well named".wav', recordingOf(33))).outcome).toBe(
      'published',
    )
    expect(named('Misnamed.wav')(await listInbox(app.context))).toEqual([])
  })

  test('wait once if they are held back', async () => {
    const doubt = { code: 'cut_off', reason: 'It ends abruptly.', fix: 'Send it again.' }
    const held = async (filename: string, bytes: Uint8Array) => {
      const file = path.join(storage.inbox.dropFolder, filename)
      await writeFile(file, bytes)
      return receiveArrival(app.context, { filename, file, bytes: bytes.length, doubt })
    }
    await held('Cut.wav', recordingOf(36))
    await held('Cut.wav', recordingOf(36))
    expect(named('Cut.wav')(await listInbox(app.context))).toHaveLength(1)
    expect((await outcomeOf('2026-11-22_Sam-Desk"Published cut".wav', recordingOf(37))).outcome).toBe(
      'published',
    )
    expect((await held('Cut.wav', recordingOf(37))).outcome).toBe('known')
  })

  test('wait twice if only their size is the same', async () => {
    await arrive('Left.wav', recordingOf(34))
    await arrive('Left.wav', recordingOf(35))
    expect(named('Left.wav')(await listInbox(app.context))).toHaveLength(2)
  })
})

test('a repeated recording mends the library', async () => {
  const recording = await fixture('vbr-xing.mp3')
  expect(await arrive('2026-11-22_Sam-Desk"Mended".mp3', recording)).toBeUndefined()
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

test('serves the bytes of a waiting item to administrators', async () => {
  const bytes = await fixture('cbr.mp3')
  const { id } = (await arrive('Morning prayer.mp3', Buffer.concat([bytes, Buffer.from('tail')])))!
  const path = `${app.url}/api/inbox/${id}/recording`
  const [visitor, member, admin] = [app.client(), await app.signedIn(), await app.signedIn('admin')]
  expect((await visitor.fetch(path, {})).status).toBe(401)
  expect((await member.fetch(path, {})).status).toBe(403)
  expect((await admin.fetch(path.replace(id, uuidv7(0)), {})).status).toBe(404)
  const part = await admin.fetch(path, { headers: { range: 'bytes=0-99' } })
  expect([part.status, part.headers.get('content-type')]).toEqual([206, 'audio/mpeg'])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(0, 100))
})
