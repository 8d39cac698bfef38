import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import ssh2 from 'ssh2'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { listInbox } from '../inbox/inbox.ts'
import { fileRequests, sendWhole } from '../../testing/ssh-packets.ts'
import { aRecording, sftpApp } from '../../testing/sftp.ts'

vi.setConfig({ testTimeout: 300_000 })
const app = await sftpApp()
const { OPEN_MODE } = ssh2.utils.sftp
const sentence =
  'A later transfer of this file has begun and replaces this one. Send another recording under another name.'
const errors: unknown[] = []
app.context.log.error = (...said: unknown[]) => void errors.push(said)
const connections: ssh2.Client[] = []
afterEach(() => {
  errors.length = 0
  for (const connection of connections.splice(0)) connection.destroy()
})

const connect = async () => {
  const client = await app.connect()
  connections.push(client.connection)
  return { ...client, ...fileRequests(client) }
}
const audioOf = async (wanted: string) =>
  (await app.teachings()).filter(({ title }) => title === wanted).map(({ audioUrl }) => audioUrl)
const addressOf = (recording: Buffer) => `/audio/${createHash('sha256').update(recording).digest('hex')}.mp3`
const nameFor = (title: string) => `/2026-11-22_Ann-Open"${title}".mp3`
const half = 10_000

describe('a file that is opened for writing by a second connection', () => {
  test("a second writer makes the first one's requests fail", async () => {
    const [name, mine, theirs] = [nameFor('Two desks'), await aRecording(), await aRecording()]
    const [first, second] = [await connect(), await connect()]
    const handle = await first.open(name, sendWhole)
    await first.write(handle, mine.subarray(0, half), 0)
    const later = await second.open(name, sendWhole)
    await second.write(later, theirs, 0)
    await expect(first.resize(handle, half)).rejects.toThrow(sentence)
    await expect(first.write(handle, mine.subarray(half), half)).rejects.toThrow(sentence)
    await expect(first.resize(handle, half)).rejects.toThrow(sentence)
    await expect(first.close(handle)).rejects.toThrow(sentence)
    await second.close(later)
    expect(await audioOf('Two desks')).toEqual([addressOf(theirs)])
    expect(await listInbox(app.context)).toEqual([])
    expect(errors).toEqual([])
  })

  test('only a superseded close with sent bytes is refused', async () => {
    const [name, mine, theirs] = [nameFor('Just before'), await aRecording(), await aRecording()]
    const [first, second] = [await connect(), await connect()]
    const [sent, empty] = [
      await first.open(name, OPEN_MODE.WRITE | OPEN_MODE.CREAT),
      await first.open(name, OPEN_MODE.WRITE),
    ]
    await first.write(sent, mine, 0)
    const later = await second.open(name, sendWhole)
    await expect(first.close(sent)).rejects.toThrow(sentence)
    await first.close(empty)
    expect(await audioOf('Just before')).toEqual([])
    await second.write(later, theirs, 0)
    await second.close(later)
    expect(await audioOf('Just before')).toEqual([addressOf(theirs)])
  })

  test('a refused second open leaves the first writer alone', async () => {
    const [name, mine] = [nameFor('Not taken over'), await aRecording()]
    const [first, second] = [await connect(), await connect()]
    const handle = await first.open(name, sendWhole)
    await first.write(handle, mine.subarray(0, half), 0)
    await expect(second.open(name, sendWhole | OPEN_MODE.EXCL)).rejects.toThrow('already')
    await first.write(handle, mine.subarray(half), half)
    await first.close(handle)
    expect(await audioOf('Not taken over')).toEqual([addressOf(mine)])
  })

  test('a second reader leaves the first writer alone', async () => {
    const [name, mine] = [nameFor('Only read'), await aRecording()]
    const [first, second] = [await connect(), await connect()]
    const handle = await first.open(name, sendWhole)
    await first.write(handle, mine.subarray(0, half), 0)
    const reader = await second.open(name, OPEN_MODE.READ)
    await first.write(handle, mine.subarray(half), half)
    await first.close(handle)
    expect(await audioOf('Only read')).toEqual([addressOf(mine)])
    expect(await second.read(reader, half, 1000)).toBe(1000)
    await second.close(reader)
  })

  test("a second writer's file gets no late bytes", async () => {
    const [name, theirs] = [nameFor('Under way'), await aRecording()]
    const [first, second] = [await connect(), await connect()]
    const handle = await first.open(name, sendWhole)
    const piece = Buffer.alloc(200_000, 7)
    const sendOn = async (from: number) => {
      for (let at = from; ; at = (at + 8) % 400) await first.write(handle, piece, at * piece.length)
    }
    const sending = Promise.all(Array.from({ length: 8 }, (_, from) => sendOn(from)))
    sending.catch(() => undefined)
    await delay(100)
    await second.put(name, theirs)
    await expect(sending).rejects.toThrow(sentence)
    expect(await audioOf('Under way')).toEqual([addressOf(theirs)])
  })
})

describe('a recording that is sent again because the first connection stalls', () => {
  test.each([
    ['anew', sendWhole, 0],
    ['from where it stopped', OPEN_MODE.WRITE, half],
    ['from where it stopped, with APPEND', OPEN_MODE.WRITE | OPEN_MODE.APPEND, half],
  ])('a recording resent %s is published once', async (how, flags, from) => {
    const [title, recording] = [`Sent ${how}`, await aRecording()]
    const [stalled, again] = [await connect(), await connect()]
    const handle = await stalled.open(nameFor(title), sendWhole)
    await stalled.write(handle, recording.subarray(0, half), 0)
    const later = await again.open(nameFor(title), flags)
    await again.write(later, recording.subarray(from), from)
    await again.close(later)
    expect(await audioOf(title)).toEqual([addressOf(recording)])
    // The first connection's remaining bytes arrive late, and then it breaks.
    await expect(stalled.write(handle, recording.subarray(half), half)).rejects.toThrow(sentence)
    stalled.connection.destroy()
    await delay(200)
    expect(await audioOf(title)).toEqual([addressOf(recording)])
    expect(await listInbox(app.context)).toEqual([])
    expect(errors).toEqual([])
  })

  test('a recording resent a third time is published', async () => {
    const [name, recording] = [nameFor('Third try'), await aRecording()]
    const clients = [await connect(), await connect(), await connect()]
    for (const { open, write } of clients) {
      const handle = await open(name, sendWhole)
      await write(handle, recording.subarray(0, half), 0)
    }
    const [, second, third] = clients
    second!.connection.destroy()
    await third!.put(name, recording)
    expect(await audioOf('Third try')).toEqual([addressOf(recording)])
  })
})

describe('a file that one session opens for writing several times', () => {
  test('handles of one session write one file', async () => {
    const [name, recording] = [nameFor('In segments'), await aRecording()]
    const { open, write, close } = await connect()
    const segments = [await open(name, sendWhole)]
    for (let more = 0; more < 3; more += 1) segments.push(await open(name, OPEN_MODE.WRITE))
    const length = Math.ceil(recording.length / segments.length)
    const order = [3, 0, 2, 1]
    for (const number of order)
      await write(
        segments[number]!,
        recording.subarray(number * length, (number + 1) * length),
        number * length,
      )
    for (const number of order) {
      expect(await audioOf('In segments')).toEqual([])
      await close(segments[number]!)
    }
    expect(await audioOf('In segments')).toEqual([addressOf(recording)])
  })

  test('truncating in one session supersedes its other handles', async () => {
    const [name, recording] = [nameFor('Left open'), await aRecording()]
    const { open, write, put, close } = await connect()
    const left = await open(name, sendWhole)
    await write(left, recording.subarray(0, half), 0)
    await put(name, recording)
    expect(await audioOf('Left open')).toEqual([addressOf(recording)])
    await expect(write(left, recording.subarray(half), half)).rejects.toThrow(sentence)
    await expect(close(left)).rejects.toThrow(sentence)
  })

  test('another channel of a connection is another session', async () => {
    const [name, recording] = [nameFor('Two channels'), await aRecording()]
    const client = await connect()
    const handle = await client.open(name, sendWhole)
    await client.write(handle, recording.subarray(0, half), 0)
    const channel = await new Promise<ssh2.SFTPWrapper>((resolve, reject) =>
      client.connection.sftp((error, opened) => (error ? reject(error) : resolve(opened))),
    )
    await new Promise<void>((resolve, reject) =>
      channel.writeFile(name, recording, (error) => (error ? reject(error) : resolve())),
    )
    expect(await audioOf('Two channels')).toEqual([addressOf(recording)])
  })
})
