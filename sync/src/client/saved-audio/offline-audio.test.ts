import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { planRange } from '../../protocol/byte-range.ts'
import { chunkBytes } from '../database/stored-files.ts'
import { AudioDatabase } from '../database/audio-database.ts'
import { answerOfflineAudio, savedAudioOnDevice, type SavedAudio } from './offline-audio.ts'

const key = 'a'.repeat(64)
const address = `http://app.test/offline-audio/${key}.mp3`
const missing: string[] = []

describe('is refused', () => {
  test('nothing was ever saved, and no database is created', async () => {
    // Other test files of this worker share its databases.
    vi.stubGlobal('indexedDB', new IDBFactory())
    onTestFinished(() => void vi.unstubAllGlobals())
    const response = await answerOfflineAudio(new Request(address), savedAudioOnDevice(), () => {})
    expect(response.status).toBe(404)
    expect((await indexedDB.databases()).map(({ name }) => name)).not.toContain('audio')
  })

  test.each(['waiting', 'evicted', 'refused'])('%s', async (state) => {
    const response = await answer(fake(10, state), {})
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ success: false, code: 'not_found' })
  })

  test('an invalid address', async () => {
    const response = await answerOfflineAudio(
      new Request('http://app.test/offline-audio/x.mp3'),
      fake(10),
      () => {},
    )
    expect(response.status).toBe(404)
  })

  test('missing bytes break the stream and are reported', async () => {
    const holed: SavedAudio = { ...fake(chunkBytes * 3), chunk: () => Promise.resolve(undefined) }
    const response = await answer(holed, {})
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(missing).toEqual([key])
  })
})

test('a cancelled stream reads no more chunks', async () => {
  const enqueue = vi.spyOn(ReadableStreamDefaultController.prototype, 'enqueue')
  let arrive: (chunk: ArrayBuffer) => void = () => {}
  const slow: SavedAudio = { ...fake(10), chunk: () => new Promise((resolve) => (arrive = resolve)) }
  const reader = (await answer(slow, {})).body!.getReader()
  const reading = reader.read()
  await reader.cancel()
  arrive(new ArrayBuffer(10))
  expect(await reading).toEqual({ done: true, value: undefined })
  await Promise.resolve()
  expect(enqueue).not.toHaveBeenCalled()
})

test('HEAD has the length and no body', async () => {
  const response = await answerOfflineAudio(new Request(address, { method: 'HEAD' }), fake(10), () => {})
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    200,
    '10',
    '',
  ])
})

test('2,000 random ranges carry exactly the bytes asked for', async () => {
  const sizes = fc.oneof(
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: chunkBytes - 2, max: 2 * chunkBytes + 2 }),
  )
  const range = fc.tuple(
    fc.option(fc.nat(3 * chunkBytes), { nil: undefined }),
    fc.option(fc.nat(300), { nil: undefined }),
  )
  await fc.assert(
    fc.asyncProperty(sizes, range, async (size, [first, more]) => {
      const last = more === undefined ? '' : (first ?? 0) + more
      const header = `bytes=${first ?? ''}-${last}`
      const response = await answer(fake(size), { range: header })
      const plan = planRange(header, size)
      expect(response.status).toBe(plan.status)
      if (plan.status === 416) {
        expect(response.headers.get('content-range')).toBe(`bytes */${size}`)
        return
      }
      const bytes = new Uint8Array(await response.arrayBuffer())
      const length = plan.end - plan.start + 1
      expect(bytes.length).toBe(length)
      expect(response.headers.get('content-length')).toBe(String(length))
      if (plan.status === 206) {
        expect(response.headers.get('content-range')).toBe(`bytes ${plan.start}-${plan.end}/${size}`)
      }
      for (const at of [0, 1, length >> 1, length - 2, length - 1].filter(
        (place) => place >= 0 && place < length,
      )) {
        if (bytes[at] !== byteAt(plan.start + at))
          throw new Error(`wrong byte at ${plan.start + at} of ${size}`)
      }
    }),
    { numRuns: 2000, seed: 2 },
  )
}, 60_000)

test('reads the rows that the page wrote', async () => {
  const page = new AudioDatabase()
  expect(await savedAudioOnDevice().any()).toBe(false)
  const { buffer } = new Uint8Array([1, 2, 3])
  await page.recordings.put({
    key,
    teachingUid: 'u',
    title: 'T',
    speaker: 'S',
    date: '2026-11-22',
    url: `/audio/${key}.mp3`,
    size: 3,
    type: 'audio/mpeg',
    bytes: 3,
    state: 'waiting',
    savedAt: 1,
  })
  expect(await savedAudioOnDevice().any(), 'on its way is not here').toBe(false)
  await page.recordings.update(key, { state: 'ready', ahead: { from: 0 } })
  expect(await savedAudioOnDevice().any(), 'held to be played is not saved').toBe(false)
  await page.recordings.update(key, { ahead: undefined })
  expect(await savedAudioOnDevice().any()).toBe(true)
  await page.chunks.put({ key, index: 0, data: buffer })
  const request = new Request(address, { headers: { range: 'bytes=1-' } })
  const response = await answerOfflineAudio(request, savedAudioOnDevice(), () => {})
  expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([2, 3])
  expect(response.headers.get('content-type')).toBe('audio/mpeg')
  await page.delete()
})

const answer = (kept: SavedAudio, headers: Record<string, string>) =>
  answerOfflineAudio(new Request(address, { headers }), kept, (gone) => missing.push(gone))

const byteAt = (position: number) => (position * 31 + (position >> 8)) & 0xff

const whole = Uint8Array.from({ length: 3 * chunkBytes }, (_, at) => byteAt(at))

/** A recording in which every byte encodes its position. */
function fake(size: number, state = 'ready'): SavedAudio {
  return {
    recording: (asked) => Promise.resolve(asked === key ? { size, type: 'audio/mpeg', state } : undefined),
    chunk: (_, index) =>
      Promise.resolve(whole.slice(index * chunkBytes, Math.min((index + 1) * chunkBytes, size)).buffer),
    store: () => Promise.resolve(false),
    any: () => Promise.resolve(state === 'ready'),
  }
}
