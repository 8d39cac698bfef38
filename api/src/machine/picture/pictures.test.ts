import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { plainPng } from '../../testing/sample-pictures.ts'
import { helperProgram } from '../process/helper-worker.ts'
import { pictureKind, webpSizes } from './pictures.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'pictures-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

let files = 0
async function fileOf(bytes: Buffer | string): Promise<string> {
  const file = path.join(folder, String((files += 1)))
  await writeFile(file, bytes)
  return file
}

/** Decodes from files, as the application does. */
const opened = async (bytes: Buffer | undefined) => sharp(await fileOf(bytes!))

/** Red above, blue below, with a phone's metadata. */
const photo = (format: 'jpeg' | 'png' | 'webp' = 'jpeg', { width = 1200, height = 900, turned = 1 } = {}) =>
  sharp({ create: { width, height, channels: 3, background: '#c00000' } })
    .composite([
      {
        input: { create: { width, height: height / 2, channels: 3, background: '#0000c0' } },
        gravity: 'south',
      },
    ])
    .withExif({ IFD0: { Copyright: 'Somebody Private' }, IFD3: { GPSLatitude: '40/1 10/1 0/1' } })
    .withMetadata({ orientation: turned })
    .toFormat(format)
    .toBuffer()

describe('refuses', () => {
  test.each([
    ['an empty file', ''],
    ['a few letters', 'GIF89a'],
    ['a drawing, which may hold scripts', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['a sound', 'RIFF\0\0\0\0WAVEfmt '],
  ])('%s as an unsupported format', async (_, bytes) => {
    expect(await pictureKind(await fileOf(bytes))).toBeUndefined()
  })

  test('a file with only a picture’s first bytes as damaged', async () => {
    const whole = await photo()
    for (const bytes of [whole.subarray(0, 300), Buffer.from('\xff\xd8\xffnothing', 'latin1')]) {
      await expect(webpSizes(await fileOf(bytes), [320])).rejects.toMatchObject({ why: 'damaged' })
    }
  })

  test('an SVG, even when called directly', async () => {
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    await expect(webpSizes(await fileOf(drawing), [320])).rejects.toMatchObject({ why: 'damaged' })
  })

  test('a small file with too many pixels', async () => {
    const bomb = plainPng(8_000, 8_000)
    expect(bomb.length).toBeLessThan(20_000)
    await expect(webpSizes(await fileOf(bomb), [320])).rejects.toMatchObject({ why: 'too many pixels' })
    const huge = plainPng(400, 400)
    huge.writeUInt32BE(300_000, 16)
    await expect(webpSizes(await fileOf(huge), [320])).rejects.toBeInstanceOf(Error)
  })
})

test.each(['jpeg', 'png', 'webp'] as const)(
  'a %s becomes WebP in three sizes without its notes',
  async (kind) => {
    const file = await fileOf(await photo(kind))
    expect(await pictureKind(file)).toBe(kind)
    const sizes = await webpSizes(file, [320, 640, 960])
    const facts = await Promise.all(sizes.map(async (bytes) => (await opened(bytes)).metadata()))
    expect(facts.map(({ format, width, height }) => [format, width, height])).toEqual([
      ['webp', 320, 240],
      ['webp', 640, 480],
      ['webp', 960, 720],
    ])
    for (const [at, bytes] of sizes.entries()) {
      expect(facts[at]!.exif).toBeUndefined()
      expect(facts[at]!.icc).toBeUndefined()
      expect(bytes.includes('Somebody Private')).toBe(false)
    }
  },
)

test('rotates a picture by its EXIF orientation', async () => {
  const [bytes] = await webpSizes(await fileOf(await photo('jpeg', { turned: 6 })), [320])
  const { width, height } = await (await opened(bytes)).metadata()
  expect([width, height]).toEqual([320, 427])
  const { data, info } = await (await opened(bytes)).raw().toBuffer({ resolveWithObject: true })
  const row = Math.floor(info.height / 2) * info.width
  const [left, right] = [row + 20, row + info.width - 20].map((at) => [...data.subarray(at * 3, at * 3 + 3)])
  // After a quarter turn clockwise the lower half is on the left.
  expect(left![2]! > left![0]!).toBe(true)
  expect(right![0]! > right![2]!).toBe(true)
})

test('does not enlarge small pictures, bounds tall ones', async () => {
  const small = await webpSizes(await fileOf(await photo('png', { width: 100, height: 80 })), [320, 960])
  for (const bytes of small) expect((await (await opened(bytes)).metadata()).width).toBe(100)
  const [ribbon] = await webpSizes(await fileOf(plainPng(100, 9_000)), [320])
  expect((await (await opened(ribbon)).metadata()).height).toBe(960)
})

test('converts a phone’s largest photograph in bounded time', async () => {
  const started = Date.now()
  await webpSizes(await fileOf(plainPng(8_000, 6_000)), [320, 640, 960])
  expect(Date.now() - started).toBeLessThan(20_000)
})

/** The processes that this one started, by their pid. */
async function children(): Promise<string[]> {
  const threads = await readdir('/proc/self/task')
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/self/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  return lists.join(' ').split(/\s+/).filter(Boolean)
}
const isHelper = async (pid: string) =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('picture-child')
const helpers = async () => {
  const found = await Promise.all((await children()).map(async (pid) => ((await isHelper(pid)) ? [pid] : [])))
  return found.flat()
}

describe.runIf(existsSync('/proc/self/task'))('of the processes that read pictures', () => {
  test('there are two at most, and the next pictures wait', async () => {
    const file = await fileOf(plainPng(6_000, 6_000))
    let most = 0
    let isDone = false
    const all = Promise.all(Array.from({ length: 6 }, () => webpSizes(file, [320])))
    void all.finally(() => (isDone = true))
    while (!isDone) {
      most = Math.max(most, (await helpers()).length)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await all).map(([bytes]) => bytes!.subarray(8, 12).toString())).toEqual(Array(6).fill('WEBP'))
    expect(most).toBe(2)
  })

  test('ends a process whose caller is gone, reads the next', async () => {
    const file = await fileOf(plainPng(8_000, 6_000))
    const gone = new AbortController()
    const work = webpSizes(file, [320, 640, 960], gone.signal)
    gone.abort()
    await expect(work).rejects.toMatchObject({ reason: 'caller gone' })
    expect(await webpSizes(await fileOf(await photo()), [320])).toHaveLength(1)
  })

  test('a process killed by the kernel loses only its picture', async () => {
    const file = await fileOf(plainPng(8_000, 6_000))
    const work = webpSizes(file, [320, 640, 960])
    void work.catch(() => undefined)
    let found: string[] = []
    while (found.length === 0) found = await helpers()
    for (const pid of found) process.kill(Number(pid), 'SIGKILL')
    await expect(work).rejects.toMatchObject({ why: 'too many pixels' })
    expect(await webpSizes(await fileOf(await photo()), [320])).toHaveLength(1)
  })
})

test('a process ends if its server ended before it listened', async () => {
  const { file, execArgv } = helperProgram(import.meta.dirname, 'picture-child')
  const child = fork(file, { execArgv: [...execArgv], stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.disconnect()
  await once(child, 'exit', { signal: AbortSignal.timeout(30_000) })
})
