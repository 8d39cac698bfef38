import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import ssh2 from 'ssh2'
import { beforeEach, expect, test } from 'vitest'
import { fileRequests } from '../../testing/ssh-packets.ts'
import { sftpApp } from '../../testing/sftp.ts'

const app = await sftpApp()
const { OPEN_MODE } = ssh2.utils.sftp
const errors: unknown[] = []
app.context.log.error = (...said: unknown[]) => void errors.push(said)
const sentence = 'The file was not opened for this. Open it for reading, for writing or for both.'

beforeEach(() => {
  errors.length = 0
})

test('refuses reads from a file opened for writing', async () => {
  const { open, write, read, close, stat } = fileRequests(await app.connect())
  const handle = await open('/written.part', OPEN_MODE.WRITE | OPEN_MODE.CREAT)
  await write(handle, Buffer.alloc(100), 0)
  await expect(read(handle, 0, 10)).rejects.toThrow(sentence)
  await write(handle, Buffer.alloc(100), 100)
  await close(handle)
  expect((await stat('/written.part')).size).toBe(200)
  expect(errors).toEqual([])
})

test('refuses writes to a file opened for reading', async () => {
  await writeFile(path.join(app.staging, 'read.part'), 'as it was')
  const client = await app.connect()
  const { open, write, close } = fileRequests(client)
  const [closed, left] = [await open('/read.part', OPEN_MODE.READ), await open('/read.part', OPEN_MODE.READ)]
  // If a write was acknowledged before it was tried, the close reports the refusal.
  await Promise.all([write(closed, Buffer.from('x'), 0), write(left, Buffer.from('x'), 0)]).catch(
    () => undefined,
  )
  await expect(close(closed)).rejects.toThrow(sentence)
  client.connection.end()
  const { stat } = fileRequests(await app.connect())
  expect((await stat('/read.part')).size).toBe(9)
  await expect.poll(() => app.serving.close().then(() => errors)).toEqual([])
})
