import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listInbox } from '../inbox/inbox.ts'
import { fileRequests, sendWhole } from '../../testing/ssh-packets.ts'
import { aRecording, sftpApp } from '../../testing/sftp.ts'

const app = await sftpApp()
const client = await app.connect()
const { open, write, close, put, rename, replace, remove, makeFolder, removeFolder, stat } =
  fileRequests(client)
const titles = async () => (await app.teachings()).map(({ title }) => title)
const onDisk = (name: string) => readFile(path.join(app.staging, name))
const beingWritten = 'This file is still being written.'
const holdsOne = 'A file in this folder is still being written.'
const taken = 'There is a file or folder of this name already.'

test('renaming an Inbox file over another needs overwrite', async () => {
  const half = Buffer.alloc(500_000, 7)
  await put('/morning.mp3', await aRecording())
  await put('/half-sent.mp3.part', half)
  await expect(rename('/morning.mp3', '/half-sent.mp3.part')).rejects.toThrow(taken)
  expect((await onDisk('half-sent.mp3.part')).equals(half)).toBe(true)
  expect((await listInbox(app.context)).map(({ filename }) => filename)).toEqual(['morning.mp3'])

  const recording = await client.ask<Buffer>((sftp, done) => sftp.readFile('/morning.mp3', done))
  await replace('/morning.mp3', '/half-sent.mp3.part')
  expect((await onDisk('half-sent.mp3.part')).equals(recording)).toBe(true)
  expect(await listInbox(app.context)).toEqual([])
  await remove('/half-sent.mp3.part')
})

test("a published recording cannot take an existing file's name", async () => {
  const name = '/2026-11-22_Ann-Open"Here already".mp3'
  await put(name, await aRecording())
  await put('/other.part', Buffer.from('other'))
  await expect(rename(name, '/other.part')).rejects.toThrow(taken)
  expect((await stat('/other.part')).size).toBe(5)
  await remove('/other.part')
})

test('a folder with an open writer cannot be renamed', async () => {
  const name = '2026-11-22_Ann-Open"In a folder".mp3'
  const recording = await aRecording()
  await makeFolder('/desk')
  await makeFolder('/desk/today')
  const handle = await open(`/desk/today/${name}`, sendWhole)
  await write(handle, recording, 0)
  for (const folder of ['/desk', '/desk/today']) {
    await expect(rename(folder, '/moved')).rejects.toThrow(holdsOne)
    await expect(replace(folder, '/moved')).rejects.toThrow(holdsOne)
    await expect(removeFolder(folder)).rejects.toThrow(holdsOne)
  }
  // A folder whose name only begins with the same letters is another one.
  await makeFolder('/desk/to')
  await rename('/desk/to', '/desk/other')
  await removeFolder('/desk/other')
  await close(handle)
  expect(await titles()).toContain('In a folder')
  await rename('/desk', '/moved')
  await removeFolder('/moved/today')
  await removeFolder('/moved')
  expect(await readdir(app.staging)).toEqual([])
})

test.each(['/from.part', '/to.part'])('a rename during the open of %s is refused', async (name) => {
  const other = fileRequests(await app.connect())
  await put('/from.part', Buffer.from('from'))
  const { storage } = app.context
  const freeBytes = storage.freeBytes.bind(storage)
  let goOn = () => {}
  const held = new Promise<void>((resolve) => (goOn = resolve))
  const asked = new Promise<void>((resolve) => {
    storage.freeBytes = async () => {
      resolve()
      await held
      return freeBytes()
    }
  })
  try {
    const opening = other.open(name, sendWhole)
    await asked
    const renaming = replace('/from.part', '/to.part').catch((error: Error) => error.message)
    // Long enough for the request to arrive. If it were too short, the test would check less, not fail.
    await delay(200)
    goOn()
    const handle = await opening
    expect(await renaming).toBe(beingWritten)
    await other.close(handle)
  } finally {
    storage.freeBytes = freeBytes
  }
})
