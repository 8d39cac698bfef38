import 'fake-indexeddb/auto'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planRange } from '../../protocol/byte-range.ts'
import { cutPowerAt, fillDeviceAt } from '../../testing/crash.ts'
import { seededRandom, type Random } from '../../testing/random.ts'
import { CallError, NetworkError } from '../../call/call-error.ts'
import type { Transport } from '../../call/call.ts'
import type { AudioLine } from './audio-line.ts'
import { downloadRecording, WrongBytes } from './audio-download.ts'
import { contiguousBytes, dropRecording, findEvicted, saveRecording, recordingBlob } from './audio-store.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { AudioDatabase } from '../database/audio-database.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
const recordings = new Map<string, Buffer>()
let fault: Answer | undefined
let server: Server
let transport: Transport

beforeAll(async () => {
  server = createServer((request, response) => (fault ?? deliver)(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  transport = { fetch, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})
afterAll(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))))

describe('never stores an answer that is not the recording', () => {
  test('stores a refusal and does not retry', async () => {
    const { db, key } = await wanted(100)
    fault = (_, response) =>
      response
        .writeHead(404)
        .end(JSON.stringify({ success: false, code: 'not_found', error: 'This recording was deleted.' }))
    await expect(downloadRecording(db, key, transport)).rejects.toThrow('404')
    expect(await db.recordings.get(key)).toMatchObject({
      state: 'refused',
      problem: 'This recording was deleted.',
    })
  })

  test.each([403, 404])('a captive portal answers %i: not taken for a refusal', async (status) => {
    const { db, key } = await wanted(100)
    fault = (_, response) =>
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Welcome</html>')
    await expect(downloadRecording(db, key, transport)).rejects.toThrow('No answer')
    expect(await db.recordings.get(key)).toMatchObject({ state: 'waiting' })
  })

  test('deletes the bytes of a redirected recording', async () => {
    const { db, key } = await wanted(chunkBytes + 10)
    const next = await wanted(4000)
    await db.chunks.put({ key, index: 0, data: new ArrayBuffer(chunkBytes) })
    await db.recordings.update(key, { bytes: chunkBytes })
    const to = next.teaching.audioUrl
    fault = (request, response) =>
      request.url === to ? deliver(request, response) : response.writeHead(302, { location: to }).end()
    await expect(downloadRecording(db, key, transport)).rejects.toThrow('410')
    expect(await db.recordings.get(key)).toMatchObject({
      state: 'refused',
      bytes: 0,
      problem: 'The library has another recording of this teaching now.',
    })
    expect(await db.chunks.count()).toBe(0)
  })

  test('deletes bytes with a wrong hash', async () => {
    const { db, key } = await wanted(3000)
    fault = (_, response) => response.writeHead(200, { 'content-length': 3000 }).end(Buffer.alloc(3000))
    await expect(downloadRecording(db, key, transport)).rejects.toThrow('damaged')
    expect(await db.recordings.get(key)).toMatchObject({ state: 'waiting', bytes: 0 })
  })

  test('stops after three damaged downloads', async () => {
    const { db, key, teaching } = await wanted(3000)
    fault = (_, response) => response.writeHead(200, { 'content-length': 3000 }).end(Buffer.alloc(3000))
    for (const asked of ['first', 'again']) {
      for (const time of [1, 2]) {
        await expect(downloadRecording(db, key, transport), `${asked} ${time}`).rejects.toThrow(WrongBytes)
      }
      await expect(downloadRecording(db, key, transport)).rejects.toThrow(CallError)
      expect(await db.recordings.get(key)).toMatchObject({
        state: 'refused',
        bytes: 0,
        problem: 'The download was damaged three times. Ask an administrator to upload this recording again.',
      })
      await saveRecording(teaching, 2, db)
    }
    fault = undefined
    expect(await downloadRecording(db, key, transport)).toBe('ready')
    expect((await db.recordings.get(key))?.damaged).toBeUndefined()
  })

  test.each<[string, string, object?]>([
    ['start', `bytes 7-${chunkBytes + 9}/${chunkBytes + 10}`],
    ['end', `bytes ${chunkBytes}-${chunkBytes + 8}/${chunkBytes + 10}`],
    ['size', `bytes ${chunkBytes}-${chunkBytes + 9}/${chunkBytes + 11}`],
    ['tag', `bytes ${chunkBytes}-${chunkBytes + 9}/${chunkBytes + 10}`, { etag: '"another"' }],
  ])('an answer with another %s is not used', async (_, range, headers = {}) => {
    const { db, key, bytes } = await wanted(chunkBytes + 10)
    await db.chunks.put({ key, index: 0, data: new Uint8Array(bytes.subarray(0, chunkBytes)).buffer })
    fault = (_, response) =>
      response.writeHead(206, { 'content-range': range, ...headers }).end(bytes.subarray(chunkBytes))
    await expect(downloadRecording(db, key, transport)).rejects.toThrow('No answer')
    expect(await db.chunks.count()).toBe(1)
  })

  test('aborts a stalled download', async () => {
    const { db, key } = await wanted(3000)
    fault = (_, response) => void response.writeHead(200, { 'content-length': 3000 }).write('x')
    await expect(downloadRecording(db, key, transport, { stallMs: 50 })).rejects.toThrow('No answer')
  })

  test('stops when the recording was removed', async () => {
    const { db, key, bytes, teaching } = await wanted(chunkBytes * 3)
    const saveAgain = async () => {
      await expect.poll(async () => (await db.recordings.get(key))?.bytes).toBe(chunkBytes)
      await dropRecording(key, db)
      await saveRecording(teaching, 2, db)
    }
    fault = (_, response) => {
      response.writeHead(200, { 'content-length': chunkBytes * 3 })
      response.write(bytes.subarray(0, chunkBytes))
      void saveAgain().then(() => response.end(bytes.subarray(chunkBytes)))
    }
    expect(await downloadRecording(db, key, transport)).toBe('gone')
    expect([await db.recordings.get(key), await db.chunks.count()]).toMatchObject([
      { state: 'waiting', bytes: 0 },
      0,
    ])
    fault = undefined
    expect(await downloadRecording(db, key, transport)).toBe('ready')
    expect((await db.recordings.get(key))?.damaged).toBeUndefined()
  })

  test('counts evicted bytes as missing, not damaged', async () => {
    const { db, key, bytes } = await wanted(chunkBytes * 3)
    const evictFirst = async () => {
      await expect.poll(async () => (await db.recordings.get(key))?.bytes).toBe(chunkBytes * 2)
      await db.chunks.delete([key, 0])
    }
    fault = (_, response) => {
      response.writeHead(200, { 'content-length': chunkBytes * 3 })
      response.write(bytes.subarray(0, chunkBytes * 2))
      void evictFirst().then(() => response.end(bytes.subarray(chunkBytes * 2)))
    }
    await expect(downloadRecording(db, key, transport)).rejects.toThrow('No answer')
    expect((await db.recordings.get(key))?.damaged).toBeUndefined()
    expect(await db.chunks.count()).toBe(2)
    fault = undefined
    expect(await downloadRecording(db, key, transport)).toBe('ready')
  })

  test('stops when the recording was removed', async () => {
    const { db, key } = await wanted(chunkBytes * 2)
    fault = (request, response) => void dropRecording(key, db).then(() => deliver(request, response))
    expect(await downloadRecording(db, key, transport)).toBe('gone')
    expect(await db.chunks.count()).toBe(0)
  })
})

describe('a download that gives the network to the player', () => {
  /** A line on which the first turn ends before its answer. */
  const interrupted = (then: () => void = () => undefined) => {
    let turns = 0
    const line: AudioLine = {
      take: (work) => {
        const needed = new AbortController()
        if ((turns += 1) === 1) {
          then()
          needed.abort()
        }
        return work({ signal: needed.signal, begin: () => undefined, isOver: () => false })
      },
    }
    return { line, turns: () => turns }
  }

  test('yields after a chunk if the player waits, and not at the end', async () => {
    const { db, key } = await wanted(2 * chunkBytes + 10)
    const chunks: number[][] = []
    const line: AudioLine = {
      take: (work) => {
        chunks.push([])
        return work({
          signal: new AbortController().signal,
          begin: ({ index }) => void chunks.at(-1)!.push(index),
          isOver: () => chunks.length === 1,
        })
      },
    }
    expect(await downloadRecording(db, key, transport, { line })).toBe('ready')
    // A turn names the next chunk before it may end, and the one behind the last.
    expect(chunks).toEqual([
      [0, 1],
      [1, 2, 3],
    ])
  })

  test('goes on at its next turn', async () => {
    const { db, key } = await wanted(chunkBytes + 10)
    const { line, turns } = interrupted()
    expect(await downloadRecording(db, key, transport, { line })).toBe('ready')
    expect(turns()).toBe(2)
  })

  test('ends if it was stopped meanwhile', async () => {
    const { db, key } = await wanted(chunkBytes + 10)
    const stop = new AbortController()
    const { line, turns } = interrupted(() => stop.abort())
    const ended = downloadRecording(db, key, transport, { line, signal: stop.signal })
    await expect(ended).rejects.toBeInstanceOf(NetworkError)
    expect(turns()).toBe(1)
  })
})

test('holds the part behind the place where a recording was opened', async () => {
  const { db, key } = await wanted(chunkBytes * 2 + 10)
  await db.recordings.update(key, { ahead: { from: 1 } })
  expect(await downloadRecording(db, key, transport)).toBe('held')
  expect(await db.recordings.get(key)).toMatchObject({
    state: 'waiting',
    bytes: chunkBytes + 10,
    ahead: { from: 1, isHeld: true },
  })
})

test('resumes only the same recording', async () => {
  const { db, key, teaching } = await wanted(chunkBytes + 10)
  const asked: [path: string, range: string | undefined, ifRange: string | undefined][] = []
  fault = (request, response) => {
    const { range, 'if-range': ifRange } = request.headers
    asked.push([request.url!, range, ifRange as string | undefined])
    if (range) return deliver(request, response)
    // Breaks off after the first chunk.
    response.writeHead(200, { 'content-length': chunkBytes + 10 })
    response.write(recordings.get(request.url!)!.subarray(0, chunkBytes + 5), () => response.destroy())
  }
  await expect(downloadRecording(db, key, transport)).rejects.toThrow()
  await downloadRecording(db, key, transport)
  expect(asked).toEqual([
    [teaching.audioUrl, undefined, undefined],
    // An address for which no cache in front has stored a redirect.
    [`${teaching.audioUrl}?resume=1`, `bytes=${chunkBytes}-`, `"${key}"`],
  ])
})

test('finds recordings whose bytes were deleted, and downloads them again', async () => {
  const { db, key, bytes, teaching } = await wanted(chunkBytes * 2 + 10)
  fault = undefined
  expect(await downloadRecording(db, key, transport)).toBe('ready')
  await db.chunks.delete([key, 1])
  expect(await recordingBlob(key, db)).toBeUndefined()
  expect(await findEvicted(db)).toEqual([key])
  expect(await db.recordings.get(key)).toMatchObject({ state: 'evicted', bytes: chunkBytes })
  await saveRecording(teaching, 2, db)
  const asked: (string | undefined)[] = []
  fault = (request, response) => (asked.push(request.headers.range), deliver(request, response))
  expect(await downloadRecording(db, key, transport)).toBe('ready')
  expect(asked).toEqual([`bytes=${chunkBytes}-${chunkBytes * 2 - 1}`])
  expect(Buffer.from(await (await recordingBlob(key, db))!.arrayBuffer()).equals(bytes)).toBe(true)
})

const histories = Number(process.env['DOWNLOAD_HISTORIES'] ?? 50)

test(`downloads end with the right bytes in ${histories} histories`, { timeout: 0 }, async () => {
  const met = new Map<string, number>()
  for (let seed = 0; seed < histories; seed += 1) {
    const random = seededRandom(seed)
    const { db: first, key, bytes, name } = await wanted(1 + random.int(3 * chunkBytes + chunkBytes / 2))
    let db = first
    for (let attempt = 0; ; attempt += 1) {
      if (attempt > 200) throw new Error(`seed ${seed}: no end`)
      const misfortune = attempt > 12 ? 'none' : random.pick(misfortunes)
      met.set(misfortune, (met.get(misfortune) ?? 0) + 1)
      fault = faultOf(misfortune, random)
      if (misfortune === 'killed') cutPowerAt(db, random.int(5))
      if (misfortune === 'device full') fillDeviceAt(db, random.int(4), 1)
      const outcome = await downloadRecording(db, key, transport, { stallMs: 2000 }).catch(
        (error: Error) => error,
      )
      if (misfortune === 'killed') {
        db.close()
        db = new AudioDatabase(name)
      }
      const row = await db.recordings.get(key)
      const here = await contiguousBytes(db, key, bytes.length)
      // Never more announced than is here; whole means verified.
      if (!row || row.bytes > here) throw new Error(`seed ${seed}: ${row?.bytes} announced, ${here} here`)
      if (row.state === 'ready') break
      if (outcome === 'ready') throw new Error(`seed ${seed}: ready without being so`)
    }
    const blob = await recordingBlob(key, db)
    expect(Buffer.from(await blob!.arrayBuffer()).equals(bytes), `seed ${seed}`).toBe(true)
    await db.delete()
    recordings.clear()
  }
  if (histories >= 50)
    for (const misfortune of misfortunes) expect(met.get(misfortune), misfortune).toBeGreaterThan(0)
})

const misfortunes = [
  'none',
  'cut',
  'whole instead of the rest',
  'another range',
  'changed tag',
  'too long',
  'damaged',
  'not satisfiable',
  'busy',
  'killed',
  'device full',
] as const
type Misfortune = (typeof misfortunes)[number]

function faultOf(misfortune: Misfortune, random: Random): Answer | undefined {
  const share = random.int(100) / 100
  const answers: Partial<Record<Misfortune, Answer>> = {
    cut: (request, response) => {
      const body = bodyOf(request)
      response.writeHead(body.status, body.headers)
      response.write(body.bytes.subarray(0, Math.floor(body.bytes.length * share)), () => response.destroy())
    },
    'whole instead of the rest': (request, response) => {
      delete request.headers.range
      deliver(request, response)
    },
    'another range': (request, response) => {
      const { bytes } = bodyOf(request)
      response
        .writeHead(206, { 'content-range': `bytes 7-${bytes.length + 6}/${bytes.length + 7}` })
        .end(bytes)
    },
    'changed tag': (request, response) => {
      const { status, headers, bytes } = bodyOf(request)
      response.writeHead(status, { ...headers, etag: '"another"' }).end(bytes)
    },
    'too long': (_, response) => response.writeHead(200).end(randomBytes(5 * chunkBytes)),
    damaged: (request, response) => {
      const { status, headers, bytes } = bodyOf(request)
      response.writeHead(status, headers).end(Buffer.alloc(bytes.length, 1))
    },
    'not satisfiable': (_, response) => response.writeHead(416).end(),
    busy: (_, response) => response.writeHead(503, { 'retry-after': '1' }).end(),
  }
  return answers[misfortune]
}

function bodyOf(request: IncomingMessage) {
  const whole = recordings.get(request.url!.split('?', 1)[0]!)!
  const plan = planRange(request.headers.range, whole.length)
  if (plan.status === 416) return { status: 416, headers: {}, bytes: Buffer.alloc(0) }
  const bytes = whole.subarray(plan.start, plan.end + 1)
  const range = plan.status === 206 && { 'content-range': `bytes ${plan.start}-${plan.end}/${whole.length}` }
  const etag = `"${/[0-9a-f]{64}/.exec(request.url!)![0]}"`
  return { status: plan.status, headers: { etag, 'content-length': bytes.length, ...range }, bytes }
}

function deliver(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, bytes } = bodyOf(request)
  response.writeHead(status, headers).end(bytes)
}

let names = 0
async function wanted(size: number) {
  const bytes = randomBytes(size)
  const key = createHash('sha256').update(bytes).digest('hex')
  const audioUrl = `/audio/${key}.mp3`
  recordings.set(audioUrl, bytes)
  const name = `audio-${(names += 1)}`
  const db = new AudioDatabase(name)
  const teaching = {
    uid: 'u',
    title: 'T',
    speaker: 'S',
    date: '2026-11-22',
    audioUrl,
    audioBytes: size,
    audioMime: 'audio/mpeg',
  }
  expect(await saveRecording(teaching, 1, db)).toBe(true)
  return { db, key, bytes, name, teaching }
}
