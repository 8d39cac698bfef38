import 'fake-indexeddb/auto'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { planRange } from '../../protocol/byte-range.ts'
import { audioDatabase } from '../database/audio-database.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { holdAhead } from './ahead-store.ts'
import { downloadRecording } from './audio-download.ts'
import { saveRecording } from './audio-store.ts'
import { answerOfflineAudio, savedAudioOnDevice } from './offline-audio.ts'
import { playedChunks, type PlayerNetwork } from './played-chunk.ts'

const bytes = randomBytes(chunkBytes * 3 + 500)
const key = createHash('sha256').update(bytes).digest('hex')
const audioUrl = `/audio/${key}.mp3`
const teaching = {
  uid: 'u',
  title: 'T',
  speaker: 'S',
  date: '2026-11-22',
  audioUrl,
  audioBytes: bytes.length,
  audioMime: 'audio/mpeg',
}

type Deliver = (request: IncomingMessage, response: ServerResponse) => void
let server: Server
let base: string
let fault: Deliver | undefined
/** The ranges that the server was asked for. */
let asked: string[] = []
const missing: string[] = []

const deliver: Deliver = (request, response) => {
  const plan = planRange(request.headers.range, bytes.length)
  if (plan.status === 416) return void response.writeHead(416).end()
  const { start, end, status } = plan
  response.writeHead(status, {
    'content-type': 'audio/mpeg',
    'content-length': end - start + 1,
    etag: `"${key}"`,
    ...(status === 206 && { 'content-range': `bytes ${start}-${end}/${bytes.length}` }),
  })
  response.end(bytes.subarray(start, end + 1))
}

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.headers.range ?? 'all')
    ;(fault ?? deliver)(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))))

const db = audioDatabase()
let network: PlayerNetwork
beforeEach(async () => {
  fault = undefined
  asked = []
  missing.length = 0
  await db.open()
  await Promise.all([db.recordings.clear(), db.chunks.clear()])
  network = {
    fetch: (url, init) => fetch(base + url, init),
    timings: { firstSilence: 1_000, silence: 50, retry: 20, busy: 20 },
    take: async () => () => undefined,
    onKept: vi.fn(),
  }
})
afterEach(() => server.closeAllConnections())

function ask(range?: string, query = '') {
  const request = new Request(`http://app.test/offline-audio/${key}.mp3${query}`, {
    ...(range && { headers: { range } }),
  })
  return answerOfflineAudio(request, savedAudioOnDevice(), (gone) => missing.push(gone), network)
}
const bytesIn = async (response: Response) => Buffer.from(await response.arrayBuffer())
const put = (index: number) =>
  db.chunks.put({
    key,
    index,
    data: new Uint8Array(bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes)).buffer,
  })
const chunksHere = async () => (await db.chunks.toArray()).map(({ index }) => index)

describe('is refused', () => {
  test('a recording that the server does not have', async () => {
    fault = (_, response) => response.writeHead(404).end('{}')
    expect((await ask('bytes=0-')).status).toBe(404)
  })

  test('fails at once when the server does not answer', async () => {
    fault = (request) => request.socket.destroy()
    expect((await ask('bytes=0-')).type).toBe('error')
  })

  test('the bytes of a replaced recording are not mixed in', async () => {
    await holdAhead(teaching, { now: 1 })
    await put(0)
    const other = 'b'.repeat(64)
    fault = (request, response) =>
      request.url!.includes(other)
        ? deliver(request, response)
        : response.writeHead(302, { location: `/audio/${other}.mp3` }).end()
    const response = await ask('bytes=0-')
    const reader = response.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).equals(bytes.subarray(0, chunkBytes))).toBe(true)
    await expect(reader.read()).rejects.toThrow('Refused: 410')
  })

  test.each([
    [
      'a portal',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'),
    ],
    [
      'another length',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(206, { 'content-range': 'bytes 0-65535/70000' }).end(Buffer.alloc(65536)),
    ],
    [
      'no range',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(bytes),
    ],
  ] as const)('the answer of %s is not stored', async (_, foreign) => {
    await holdAhead(teaching, { now: 1 })
    fault = (request, response) => void foreign(request, response)
    await expect((await ask('bytes=0-')).arrayBuffer()).rejects.toThrow()
    expect(await chunksHere()).toEqual([])
  })
})

test('asks again at once when the device has a network again', async () => {
  let wake = () => {}
  const silent = new Promise<void>((resolve) => {
    fault = () => {
      fault = undefined
      resolve()
    }
  })
  const stop = vi.fn()
  network.timings = { firstSilence: 3_600_000, silence: 3_600_000, retry: 3_600_000, busy: 3_600_000 }
  network.onNetwork = (onNetwork) => {
    wake = onNetwork
    return stop
  }
  await holdAhead(teaching, { now: 1 })
  const response = await ask('bytes=0-', '?wait')
  const body = bytesIn(response)
  await silent
  wake()
  expect((await body).equals(bytes)).toBe(true)
  expect(stop).toHaveBeenCalled()
})

test('chunks and network come in one response, and fill the gaps', async () => {
  await holdAhead(teaching, { now: 1 })
  await put(1)
  const response = await ask('bytes=0-')
  expect([response.status, response.headers.get('content-range')]).toEqual([
    206,
    `bytes 0-${bytes.length - 1}/${bytes.length}`,
  ])
  expect((await bytesIn(response)).equals(bytes)).toBe(true)
  expect(asked).toEqual([
    `bytes=0-65535`,
    `bytes=65536-${chunkBytes - 1}`,
    `bytes=${chunkBytes * 2}-${chunkBytes * 3 - 1}`,
    `bytes=${chunkBytes * 3}-${bytes.length - 1}`,
  ])
  await vi.waitFor(async () => expect(await chunksHere()).toEqual([0, 1, 2, 3]))
  expect((await db.recordings.get(key))?.bytes).toBe(bytes.length - chunkBytes)
  // All are here: the download has nothing to fetch, and verifies them.
  const nothing = () => Promise.reject(new Error('not needed'))
  expect(await downloadRecording(db, key, { base, fetch: nothing })).toBe('ready')
})

test('a recording that is replaced meanwhile is finished as begun', async () => {
  await holdAhead(teaching, { now: 1 })
  await put(0)
  fault = (request, response) =>
    request.headers['if-range'] === `"${key}"`
      ? deliver(request, response)
      : response.writeHead(302, { location: `/audio/${'b'.repeat(64)}.mp3` }).end()
  expect((await bytesIn(await ask('bytes=0-'))).equals(bytes)).toBe(true)
})

test('a server that names the same recording elsewhere is followed', async () => {
  fault = (request, response) =>
    request.url!.includes('?')
      ? deliver(request, response)
      : response.writeHead(302, { location: `/audio/${key}.mp3?moved` }).end()
  expect((await bytesIn(await ask('bytes=0-'))).equals(bytes)).toBe(true)
})

test('chunks of a removed recording are not stored', async () => {
  await holdAhead(teaching, { now: 1 })
  await db.recordings.update(key, { state: 'dropped' })
  expect((await bytesIn(await ask('bytes=0-'))).equals(bytes)).toBe(true)
  expect(await chunksHere()).toEqual([])
})

test('damaged chunks are found when the recording is whole', async () => {
  await holdAhead(teaching, { now: 1 })
  fault = (request, response) => {
    const plan = planRange(request.headers.range, bytes.length) as { start: number; end: number }
    response.writeHead(206, { 'content-range': `bytes ${plan.start}-${plan.end}/${bytes.length}` })
    response.end(Buffer.alloc(plan.end - plan.start + 1))
  }
  await (await ask('bytes=0-')).arrayBuffer()
  await vi.waitFor(async () => expect(await chunksHere()).toHaveLength(4))
  await expect(downloadRecording(db, key, { base, fetch })).rejects.toThrow('damaged')
  expect(await chunksHere()).toEqual([])
})

test('the first bytes are one range with high priority', async () => {
  const priorities: unknown[] = []
  network.fetch = (url, init) => {
    priorities.push(init.priority)
    return fetch(base + url, init)
  }
  const response = await ask(`bytes=${chunkBytes + 7}-`)
  await response.body!.getReader().read()
  expect(asked[0]).toBe(`bytes=${chunkBytes + 7}-${chunkBytes + 7 + 65535}`)
  expect(priorities[0]).toBe('high')
})

test('serves random ranges of a holed recording', async () => {
  await holdAhead(teaching, { now: 1 })
  for (const [range, hole] of [
    ['bytes=0-1', 0],
    ['bytes=-300', 3],
    [`bytes=${chunkBytes - 5}-${chunkBytes + 5}`, 1],
    [`bytes=${chunkBytes * 2}-`, 2],
    [undefined, 2],
  ] as const) {
    for (const index of [0, 1, 2, 3]) await put(index)
    await db.chunks.delete([key, hole])
    const response = await ask(range)
    const plan = planRange(range, bytes.length) as { status: number; start: number; end: number }
    expect(response.status).toBe(plan.status)
    expect((await bytesIn(response)).equals(bytes.subarray(plan.start, plan.end + 1)), range).toBe(true)
  }
})

test('a probe of two bytes is not asked for again', async () => {
  await bytesIn(await ask('bytes=0-1'))
  await bytesIn(await ask('bytes=0-1000'))
  expect(asked).toEqual(['bytes=0-65535'])
})

test('keeps the first chunk until its recording has a row', async () => {
  await bytesIn(await ask(`bytes=0-${chunkBytes - 1}`))
  expect(await chunksHere()).toEqual([])
  await holdAhead(teaching, { now: 1 })
  await playedChunks(network).flush(key)
  expect(await chunksHere()).toEqual([0])
})

test('a dead spot in the middle delays the bytes only', async () => {
  let isDead = false
  let cut = 0
  fault = (request, response) => {
    if (isDead) return void (cut += 1)
    const plan = planRange(request.headers.range, bytes.length) as { start: number; end: number }
    if (plan.start < chunkBytes) return deliver(request, response)
    // The answer goes silent after some bytes.
    isDead = true
    response.writeHead(206, {
      'content-range': `bytes ${plan.start}-${plan.end}/${bytes.length}`,
      'content-length': plan.end - plan.start + 1,
    })
    response.write(bytes.subarray(plan.start, plan.start + 1000))
  }
  const whole = bytesIn(await ask('bytes=0-'))
  await vi.waitFor(() => expect(cut).toBeGreaterThan(3), 10_000)
  fault = undefined
  expect((await whole).equals(bytes)).toBe(true)
})

test('waits from the first byte on if it is told to', async () => {
  await holdAhead(teaching, { now: 1 })
  fault = (request) => request.socket.destroy()
  const response = await ask('bytes=100-', '?wait=1')
  const whole = bytesIn(response)
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(3))
  fault = undefined
  expect((await whole).equals(bytes.subarray(100))).toBe(true)
  // No short first range: it would cost another round trip.
  expect(new Set(asked.filter((range) => range.startsWith('bytes=100-')))).toEqual(
    new Set([`bytes=100-${chunkBytes - 1}`]),
  )
})

test('goes on from the network when a saved chunk was evicted', async () => {
  await saveRecording(teaching, 1)
  for (const index of [0, 1, 2, 3]) await put(index)
  await db.recordings.update(key, { state: 'ready' })
  await db.chunks.delete([key, 1])
  expect((await bytesIn(await ask('bytes=0-'))).equals(bytes)).toBe(true)
  expect(missing).toEqual([key])
})

test('a chunk that a download stored meanwhile is not asked for', async () => {
  await holdAhead(teaching, { now: 1 })
  network.take = async ({ index }) => (await put(index), () => undefined)
  expect((await bytesIn(await ask('bytes=0-'))).equals(bytes)).toBe(true)
  expect(asked).toEqual([])
})

test('the size of a recording that gets a row meanwhile comes from the network', async () => {
  network.take = async ({ index }) => {
    await holdAhead(teaching, { now: 1 })
    await put(index)
    return () => undefined
  }
  expect((await bytesIn(await ask('bytes=0-1000'))).equals(bytes.subarray(0, 1001))).toBe(true)
  expect(asked).toEqual(['bytes=0-65535'])
})

test('a seek stops the request, and its bytes are not lost', async () => {
  await holdAhead(teaching, { now: 1 })
  fault = (request, response) => {
    const plan = planRange(request.headers.range, bytes.length) as { start: number; end: number }
    response.writeHead(206, { 'content-range': `bytes ${plan.start}-${plan.end}/${bytes.length}` })
    response.write(bytes.subarray(plan.start, plan.start + 65_536))
  }
  const reader = (await ask('bytes=0-')).body!.getReader()
  for (let read = 0; read < 100_000;) read += (await reader.read()).value!.length
  await reader.cancel()
  fault = undefined
  asked = []
  await bytesIn(await ask(`bytes=0-${chunkBytes - 1}`))
  expect(asked).toHaveLength(2)
  expect(Number(asked[0]!.split(/[=-]/)[1])).toBeGreaterThanOrEqual(65_536)
})
