import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { id3Tag } from '@fellowship/sound/write/id3'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture, longWav } from '../../testing/multipart.ts'
import { openDescriptors, openFilesUnder } from '../../testing/open-files.ts'
import { rawRequest } from '../../testing/raw-request.ts'
import { canProbe } from '../../testing/recordings.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const person = await app.signedIn()
const add = async (bytes: Buffer, name: string): Promise<Teaching> => {
  const audioFile = new File([new Uint8Array(bytes)], name)
  return (await call(uploads.smartUpload, { files: { audioFile } }, person)).teaching
}
const mp3 = await fixture('cbr.mp3')
const large = Buffer.concat([...longWav(5_000_000, 9)])
const small = await add(mp3, '2026-11-22_Tāne-O\'Brien"Māori “hymns” & joy"_Romans_8.mp3')
const long = await add(large, '2025-01-05_Mary-Jones"Long".wav')
const m4a = await fixture('faststart.m4a')
const phone = await add(m4a, '2025-01-12_Mary-Jones"Phone".m4a')
const size = mp3.length
const hash = createHash('sha256').update(mp3).digest('hex')
const tag = `"${hash}"`

const ask = (path: string, headers: http.OutgoingHttpHeaders = {}, method = 'GET') =>
  rawRequest(app.url + path, headers, method)
const address = small.audioUrl!
const lastModified = (await ask(address, {}, 'HEAD')).headers['last-modified']!

describe('refused', () => {
  test.each([
    '/audio/',
    '/audio/x.mp3',
    `/audio/${'0'.repeat(64)}.mp3`,
    `/audio/${hash}`,
    `/audio/${hash}.wav`,
    `/audio/${hash}.mp3.mp3`,
    `/audio/${hash.toUpperCase()}.mp3`,
    `/audio/../app-secret`,
    `/audio/%2e%2e%2fapp-secret`,
    `/audio/${hash}.mp3/`,
    '/audio/\\..\\app-secret',
  ])('%s returns 404 in the common failure shape', async (path) => {
    const { status, headers, body } = await ask(path)
    expect(status).toBe(404)
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(headers['cache-control']).toBe('no-store')
    expect(JSON.parse(body.toString())).toMatchObject({ success: false, code: 'not_found' })
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s returns 405 with Allow', async (method) => {
    const { status, headers } = await ask(address, {}, method)
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD'])
  })
})

describe('ranges', () => {
  type Case = [header: string, status: 200 | 206 | 416, from?: number, to?: number]
  const cases: Case[] = [
    ['bytes=0-0', 206, 0, 0],
    ['bytes=0-1', 206, 0, 1],
    ['bytes=0-99', 206, 0, 99],
    ['bytes=100-199', 206, 100, 199],
    ['bytes=0-', 206, 0, size - 1],
    ['bytes=1-', 206, 1, size - 1],
    [`bytes=${size - 1}-`, 206, size - 1, size - 1],
    [`bytes=0-${size - 1}`, 206, 0, size - 1],
    [`bytes=0-${size}`, 206, 0, size - 1],
    ['bytes=0-99999999999', 206, 0, size - 1],
    ['bytes=100-99999999999999999999', 206, 100, size - 1],
    ['bytes=-1', 206, size - 1, size - 1],
    ['bytes=-500', 206, size - 500, size - 1],
    [`bytes=-${size}`, 206, 0, size - 1],
    [`bytes=-${size + 1}`, 206, 0, size - 1],
    ['bytes=-99999999999', 206, 0, size - 1],
    ['BYTES=0-9', 206, 0, 9],
    ['bytes= 0-9', 206, 0, 9],
    [`bytes=${size}-`, 416],
    [`bytes=${size}-${size + 9}`, 416],
    ['bytes=99999999999-', 416],
    ['bytes=99999999999999999999-', 416],
    ['bytes=-0', 416],
    ['bytes=9-8', 200],
    ['bytes=-', 200],
    ['bytes=', 200],
    ['bytes', 200],
    ['', 200],
    ['bytes=a-b', 200],
    ['bytes=0x0-0x9', 200],
    ['bytes=0-9,20-29', 200],
    ['bytes=0-0,-1', 200],
    ['bytes=0-9,', 200],
    ['bytes=1.5-9', 200],
    ['bytes=+1-9', 200],
    ['bytes=--5', 200],
    ['bytes=0-9-19', 200],
    ['items=0-9', 200],
    ['bytes 0-9', 200],
    ['bytes=0-9;bytes=20-29', 200],
  ]
  test.each(cases)('Range %s returns %d', async (range, status, from, to) => {
    const answer = await ask(address, { range })
    expect(answer.status).toBe(status)
    if (status === 416) {
      expect(answer.headers['content-range']).toBe(`bytes */${size}`)
      expect(answer.body).toHaveLength(0)
      return
    }
    const expected = status === 206 ? mp3.subarray(from, to! + 1) : mp3
    expect(answer.body.equals(expected)).toBe(true)
    expect(answer.headers['content-length']).toBe(String(expected.length))
    expect(answer.headers['content-range']).toBe(status === 206 ? `bytes ${from}-${to}/${size}` : undefined)
    expect(answer.headers['accept-ranges']).toBe('bytes')
  })

  test('ignores Range for HEAD', async () => {
    const answer = await ask(address, { range: 'bytes=0-9' }, 'HEAD')
    expect([answer.status, answer.headers['content-length'], answer.body.length]).toEqual([
      200,
      String(size),
      0,
    ])
  })

  test.each<[string, string, number]>([
    ['the tag', tag, 206],
    ['the date', lastModified, 206],
    ['another tag', '"another"', 200],
    ['a weak tag', `W/${tag}`, 200],
    ['an older date', 'Wed, 21 Oct 2015 07:28:00 GMT', 200],
    ['a later date', 'Wed, 21 Oct 2099 07:28:00 GMT', 200],
    ['nonsense', 'x', 200],
  ])('a conditional range uses %s', async (_, condition, status) => {
    expect((await ask(address, { range: 'bytes=0-9', 'if-range': condition })).status).toBe(status)
  })

  test('sends exact bytes for ranges across blocks and read buffers', async () => {
    const edges = [0, 1, 65_535, 65_536, 262_143, 262_144, 262_145, 1_048_576, 3_000_000, large.length - 1]
    for (const from of edges) {
      for (const to of edges.filter((edge) => edge >= from)) {
        const { status, body } = await ask(long.audioUrl!, { range: `bytes=${from}-${to}` })
        expect(status).toBe(206)
        expect(body.equals(large.subarray(from, to + 1)), `${from}-${to}`).toBe(true)
      }
    }
  })
})

describe('conditional requests', () => {
  test.each<[http.OutgoingHttpHeaders, number]>([
    [{ 'if-none-match': tag }, 304],
    [{ 'if-none-match': `W/${tag}` }, 304],
    [{ 'if-none-match': `"x", ${tag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': tag, range: 'bytes=0-9' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-none-match': '"x"', 'if-modified-since': lastModified }, 200],
    [{ 'if-modified-since': lastModified }, 304],
    [{ 'if-modified-since': 'Wed, 21 Oct 2099 07:28:00 GMT' }, 304],
    [{ 'if-modified-since': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
  ])('%j returns %d', async (headers, status) => {
    const answer = await ask(address, headers)
    expect(answer.status).toBe(status)
    expect(answer.headers['etag']).toBe(tag)
    expect(answer.body).toHaveLength(status === 304 ? 0 : size)
  })
})

describe('headers', () => {
  test('a recording is immutable and plays on other sites', async () => {
    const head = await ask(address, {}, 'HEAD')
    expect(head.status).toBe(200)
    expect(head.body).toHaveLength(0)
    expect(head.headers).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-length': String(size),
      'accept-ranges': 'bytes',
      etag: tag,
      'cache-control': expect.stringMatching(/public, max-age=31536000, immutable/) as string,
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
    expect(head.headers).not.toHaveProperty('content-disposition')
    expect(head.headers).not.toHaveProperty('content-encoding')
    const get = await ask(address, { 'accept-encoding': 'gzip, br' })
    expect({ ...get.headers, date: '' }).toEqual({ ...head.headers, date: '' })
    expect(get.body.equals(mp3)).toBe(true)
  })

  test('a download has a readable file name with the right extension', async () => {
    const { headers } = await ask(`${address}?download=1`, {}, 'HEAD')
    expect(headers['content-disposition']).toBe(
      `attachment; filename="Maori_hymns_joy_Tane_OBrien_20261122.mp3"; filename*=UTF-8''M%C4%81ori_hymns_joy_T%C4%81ne_OBrien_20261122.mp3`,
    )
    const wav = await ask(`${long.audioUrl!}?download=1`, {}, 'HEAD')
    expect(wav.headers['content-disposition']).toContain('filename="Long_Mary_Jones_20250105.wav"')
    expect((await ask(`${address}?download=0`, {}, 'HEAD')).headers).not.toHaveProperty('content-disposition')
  })
})

describe('a download carries what the library says of it', () => {
  const download = `${address}?download=1`
  const tagsOf = async (body: Buffer) => {
    const file = path.join(app.dataDir, 'downloaded.mp3')
    await writeFile(file, body)
    const { stdout } = await promisify(execFile)('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'format=duration:format_tags:stream=codec_name',
      '-of',
      'json',
      file,
    ])
    const { format, streams } = JSON.parse(stdout) as {
      format: { duration: string; tags: Record<string, string> }
      streams: { codec_name: string }[]
    }
    return { ...format, codecs: streams.map(({ codec_name: codec }) => codec) }
  }

  test.skipIf(!canProbe)('ffprobe reads title, speaker, date, passage and church', async () => {
    const { status, headers, body } = await ask(download)
    expect([status, headers['content-length'], headers['cache-control']]).toEqual([
      200,
      String(body.length),
      'public, no-cache, no-transform',
    ])
    expect(headers).not.toHaveProperty('last-modified')
    const { tags, codecs, duration } = await tagsOf(body)
    expect(tags).toMatchObject({
      title: 'Māori “hymns” & joy',
      artist: "Tāne O'Brien",
      date: '2026-11-22',
      comment: 'Romans 8',
      album: 'Bulls Christian Fellowship',
      genre: 'Speech',
    })
    expect(codecs).toEqual(['mp3', 'png'])
    expect(Math.abs(Number(duration) - Number((await tagsOf(mp3)).duration))).toBeLessThan(0.06)
    // The player gets the recording itself, without tags.
    expect((await ask(address)).body.equals(mp3)).toBe(true)
  })

  test.each([
    ['MP3', () => small, mp3],
    ['WAV', () => long, large],
    ['M4A', () => phone, m4a],
  ])('every range of an %s matches the whole', async (_, teaching, original) => {
    const address = `${teaching().audioUrl!}?download=1`
    const { body, headers } = await ask(address)
    const whole = body.length
    expect(whole).toBeGreaterThan(original.length)
    expect(headers['content-length']).toBe(String(whole))
    const middle = original.length / 2
    const behind = body.indexOf(original.subarray(middle, middle + 100))
    expect(behind).toBeGreaterThan(0)
    for (const [from, to] of [
      [0, 9],
      [4, 44],
      [100, behind + 50],
      [4_000, 13_000],
      [behind, behind + 99],
      [whole - 20_000, whole - 5_000],
      [whole - 10, whole - 1],
      [0, whole - 1],
    ] as const) {
      const part = await ask(address, { range: `bytes=${from}-${to}`, 'if-range': headers.etag! })
      expect([part.status, part.headers['content-range']]).toEqual([206, `bytes ${from}-${to}/${whole}`])
      expect(part.body.equals(body.subarray(from, to + 1))).toBe(true)
    }
    expect((await ask(address, { range: `bytes=${whole}-` })).status).toBe(416)
    expect((await ask(address, { 'if-none-match': headers.etag! })).status).toBe(304)
    const head = await ask(address, {}, 'HEAD')
    expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' })
    // The player gets the recording itself, without tags.
    expect((await ask(teaching().audioUrl!)).body.equals(original)).toBe(true)
  })

  test.skipIf(!canProbe)('WAV and M4A downloads carry the tags too', async () => {
    for (const { audioUrl, title } of [long, phone]) {
      const { headers, body } = await ask(`${audioUrl!}?download=1`)
      expect(headers['cache-control']).toBe('public, no-cache, no-transform')
      expect((await tagsOf(body)).tags).toMatchObject({ title, album: 'Bulls Christian Fellowship' })
    }
  })

  test('a new title changes the ETag and restarts a resumed download', async () => {
    const before = await ask(download)
    const { id, title } = small
    const edit = { title: 'Changed', speaker: small.speaker, date: small.date, scriptureReference: '' }
    const update = (body: typeof edit) => call(teachings.update, { params: { id }, body }, person)
    await update(edit)
    const range = { range: 'bytes=10-', 'if-range': before.headers.etag! }
    const after = await ask(download, range)
    expect([after.status, after.body.includes('Changed')]).toEqual([200, true])
    expect(after.headers.etag).not.toBe(before.headers.etag)
    // A tag of the same length: the sound did not move.
    expect(after.body.subarray(16_384).equals(before.body.subarray(16_384))).toBe(true)
    await update({ ...edit, title, scriptureReference: small.scriptureReference ?? '' })
  })

  test('drops the file’s own tags at both ends', async () => {
    const own = Buffer.alloc(128)
    own.write('TAGAn old title')
    const old = Buffer.from(id3Tag({ title: 'Old', speaker: 'Nobody', date: '2001-01-01' }))
    const file = new File([old, new Uint8Array(mp3), own], '2026-10-04_Ann-Lee"Tagged before".mp3')
    const { teaching } = await call(uploads.smartUpload, { files: { audioFile: file } }, person)
    const { body } = await ask(`${teaching.audioUrl!}?download=1`)
    expect([body.includes('Nobody'), body.includes('An old title'), body.includes('Tagged before')]).toEqual([
      false,
      false,
      true,
    ])
    // The recording begins with a tag of its own, too.
    const sound = mp3.subarray(10 + mp3.readUInt8(9) + 128 * mp3.readUInt8(8))
    expect(body.subarray(-sound.length).equals(sound)).toBe(true)
    expect(body.subarray(0, -sound.length).includes('LAME')).toBe(false)
    const played = await ask(teaching.audioUrl!)
    expect(played.body.equals(Buffer.concat([old, mp3, own]))).toBe(true)
  })
})

describe.skipIf(!existsSync('/proc/self/fd'))('clients that disconnect', () => {
  // Sockets too: a socket that stays open after its client left keeps its file open.
  const openNow = () => openDescriptors().length

  test('disconnected clients leave no file open', async () => {
    await ask(long.audioUrl!, { range: 'bytes=0-9' })
    await delay(100)
    const before = openNow()
    const { port } = new URL(app.url)
    for (let round = 0; round < 60; round++) {
      await new Promise<void>((resolve) => {
        const socket = net.connect(Number(port), '127.0.0.1', () => {
          socket.write(`GET ${long.audioUrl} HTTP/1.1\r\nHost: x\r\n\r\n`)
        })
        socket.on('error', () => undefined)
        socket.once('data', () => socket.destroy())
        socket.once('close', () => resolve())
      })
    }
    for (let tries = 0; tries < 400 && openNow() > before; tries++) await delay(50)
    expect(openNow()).toBeLessThanOrEqual(before)
    expect((await ask(address)).status).toBe(200)
  })

  test('a slow client gets every byte', async () => {
    const { port } = new URL(app.url)
    const received = await new Promise<Buffer>((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = net.connect(Number(port), '127.0.0.1', () => {
        socket.write(`GET ${long.audioUrl} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      })
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        chunks.push(chunk)
        if (chunks.length % 20 === 0) {
          socket.pause()
          setTimeout(() => socket.resume(), 5)
        }
      })
      socket.once('end', () => resolve(Buffer.concat(chunks)))
    })
    const body = received.subarray(received.indexOf('\r\n\r\n') + 4)
    expect(body.equals(large)).toBe(true)
  })

  test('buffers of a slow client are not reused', async () => {
    const length = 100_000
    const starts = Array.from({ length: 200 }, (_, at) => at * 20_001)
    const line = net.connect(Number(new URL(app.url).port), '127.0.0.1')
    // All requested at once on one connection and not read yet: more than the socket buffers hold.
    starts.forEach((from, at) =>
      line.write(
        `GET ${long.audioUrl} HTTP/1.1\r\nHost: x\r\nRange: bytes=${from}-${from + length - 1}\r\n` +
          `Connection: ${at === starts.length - 1 ? 'close' : 'keep-alive'}\r\n\r\n`,
      ),
    )
    await delay(100)
    for (let at = 0; at < 80; at++) await ask(long.audioUrl!, { range: `bytes=${at}-${at + length}` })
    const chunks: Buffer[] = []
    for await (const chunk of line) chunks.push(chunk as Buffer)
    const bodies = bodiesOf(Buffer.concat(chunks), length)
    expect(bodies).toHaveLength(starts.length)
    bodies.forEach((body, at) => {
      expect(body.equals(large.subarray(starts[at], starts[at]! + length)), `range ${at}`).toBe(true)
    })
  })

  /** Splits pipelined answers of one connection. */
  function bodiesOf(received: Buffer, length: number): Buffer[] {
    const bodies: Buffer[] = []
    for (let at = 0; at < received.length; at += length) {
      at = received.indexOf('\r\n\r\n', at) + 4
      bodies.push(received.subarray(at, at + length))
    }
    return bodies
  }
})

describe.skipIf(!existsSync('/proc/self/fd'))('when the server shuts down', async () => {
  const ending = await testApp()
  const elder = await ending.signedIn()

  test('closes files that were open for further ranges', async () => {
    const audioFile = new File([new Uint8Array(mp3)], '2026-11-22_Jane-Doe"Last".mp3')
    const { teaching } = await call(uploads.smartUpload, { files: { audioFile } }, elder)
    await (await fetch(ending.url + teaching.audioUrl)).arrayBuffer()
    await expect.poll(() => openFilesUnder(ending.dataDir), { timeout: 10_000 }).toHaveLength(1)
    ending.context.lifecycle.drain()
    await expect.poll(() => openFilesUnder(ending.dataDir), { timeout: 10_000 }).toEqual([])
  })
})

describe('behind nginx that sends the files (AUDIO_ACCEL)', async () => {
  const behind = await testApp({ AUDIO_ACCEL: '/recordings/', TRUST_PROXY: '1' })
  const uploader = await behind.signedIn()
  const file = new File([new Uint8Array(mp3)], '2026-11-22_Ann-Lee"Left to nginx".mp3')
  const { teaching } = await call(uploads.smartUpload, { files: { audioFile: file } }, uploader)

  test('refuses an unknown recording itself', async () => {
    const answer = await fetch(`${behind.url}/audio/${'0'.repeat(64)}.mp3`)
    expect([answer.status, answer.headers.get('x-accel-redirect')]).toEqual([404, null])
  })

  test('passes path and type to nginx without a body', async () => {
    const answer = await fetch(behind.url + teaching.audioUrl!)
    expect(answer.headers.get('x-accel-redirect')).toBe(`/recordings/${hash}.mp3`)
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect((await answer.arrayBuffer()).byteLength).toBe(0)
  })

  test('sends a download itself, with its tag and name', async () => {
    const answer = await fetch(`${behind.url}${teaching.audioUrl}?download=1`)
    expect(answer.headers.get('x-accel-redirect')).toBeNull()
    expect(answer.headers.get('content-disposition')).toContain('attachment')
    expect(Buffer.from(await answer.arrayBuffer()).includes('Left to nginx')).toBe(true)
  })
})
