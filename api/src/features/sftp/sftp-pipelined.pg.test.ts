import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import ssh2, { type SFTPWrapper } from 'ssh2'
import { expect, test } from 'vitest'
import { seededRandom } from '@fellowship/schema/testing/random'
import { filesForgotten, openDescriptors } from '../../testing/open-files.ts'
import { sftpApp } from '../../testing/sftp.ts'

const app = await sftpApp()
const { OPEN_MODE } = ssh2.utils.sftp
const bytes = Buffer.from(Uint8Array.from({ length: 3_000_001 }, (_, at) => (at * 7919) >> 8))
/** Bytes that ssh2's client requests at once. */
const piece = 30_000
/** Fewer bytes at the end of the file, and none past it. */
const read = (sftp: SFTPWrapper, handle: Buffer, from: number, length: number) =>
  new Promise<Buffer>((resolve, reject) => {
    const into = Buffer.alloc(length)
    sftp.read(handle, into, 0, length, from, (error, count) => {
      if (!error) return resolve(into.subarray(0, count))
      if ((error as Error & { code?: number }).code === ssh2.utils.sftp.STATUS_CODE.EOF)
        resolve(Buffer.alloc(0))
      else reject(error)
    })
  })

/** The open files of this name in this process, which includes the server. */
const held = (name: string) => openDescriptors().filter((file) => file.includes(name))

test('answers pipelined reads in order up to the end', async () => {
  const { ask: request, sftp } = await app.connect()
  await writeFile(path.join(app.staging, 'read.part'), bytes)
  const handle = await request<Buffer>((s, done) => s.open('/read.part', 'r', done))
  const random = seededRandom(20261123)
  const straight = Array.from({ length: 104 }, (_, number) => [number * piece, piece] as const)
  const anywhere = Array.from(
    { length: 100 },
    () => [random.whole(bytes.length + piece), 1 + random.whole(piece)] as const,
  )
  const requests = [...straight, ...anywhere]
  const order: number[] = []
  const answers = await Promise.all(
    requests.map(async ([from, length], number) => {
      const answer = await read(sftp, handle, from, length)
      order.push(number)
      return answer
    }),
  )
  const wrong = requests.filter(
    ([from, length], number) => !answers[number]!.equals(bytes.subarray(from, from + length)),
  )
  expect(wrong).toEqual([])
  // After a short answer, ssh2's client requests the rest by itself.
  const whole = [...requests.keys()].filter((number) => answers[number]!.length === requests[number]![1])
  expect(order.filter((number) => whole.includes(number))).toEqual(whole)
  await request((s, done) => s.close(handle, done))
})

test('reads see earlier writes, and a close waits for reads', async () => {
  const { ask: request, sftp } = await app.connect()
  const flags = (OPEN_MODE.READ | OPEN_MODE.WRITE | OPEN_MODE.CREAT) as unknown as ssh2.OpenMode
  const handle = await request<Buffer>((s, done) => s.open('/both.part', flags, done))
  const writing = Array.from({ length: 90 }, (_, number) =>
    request((s, done) => s.write(handle, bytes, number * piece, piece, number * piece, done)),
  )
  const last = read(sftp, handle, 90 * piece - 10, 100)
  await Promise.all(writing)
  expect(await last).toEqual(bytes.subarray(90 * piece - 10, 90 * piece))
  await request((s, done) => s.fsetstat(handle, { size: 1000 }, done))
  const reading = [0, 900, 1000].map((from) => read(sftp, handle, from, 200))
  const closing = request((s, done) => s.close(handle, done))
  expect((await Promise.all(reading)).map(({ length }) => length)).toEqual([200, 100, 0])
  await closing
  await expect(read(sftp, handle, 0, 10)).rejects.toThrow('not open')
})

test('a client with a full window gets the rest later', async () => {
  const { ask: request, sftp, socket } = await app.connect()
  const handle = await request<Buffer>((s, done) => s.open('/read.part', 'r', done))
  // 71 answers with headers of 13 bytes are one kilobyte more than ssh2's window of two megabytes.
  const lengths = [...Array.from({ length: 69 }, () => 29_953), 29_985, 400, 1000]
  socket.pause()
  const answers = lengths.map((length, number) => read(sftp, handle, number * 30_001, length))
  // Long enough to fill the window. If it were too short, the test would check less, not fail.
  await delay(500)
  socket.resume()
  for (const [number, answer] of answers.entries()) {
    const from = number * 30_001
    expect((await answer).equals(bytes.subarray(from, from + lengths[number]!))).toBe(true)
  }
  await request((s, done) => s.close(handle, done))
})

test('a disconnect during reads leaves no open file', async () => {
  const { ask: request, sftp, connection, socket } = await app.connect()
  const handle = await request<Buffer>((s, done) => s.open('/read.part', 'r', done))
  // The server's reads wait for a client that has stopped reading; they must end with its connection.
  socket.pause()
  for (let number = 0; number < 2000; number += 1)
    read(sftp, handle, number * 1000, piece).catch(() => undefined)
  await delay(500)
  expect(held('read.part')).toHaveLength(1)
  const forgotten = await filesForgotten(async () => {
    connection.destroy()
    await expect.poll(() => held('read.part'), { timeout: 20_000 }).toEqual([])
  })
  expect(forgotten).toEqual([])
  const { ask: another } = await app.connect()
  await another((s, done) => s.unlink('/read.part', done))
  expect(await readdir(app.staging)).toEqual(['both.part'])
})
