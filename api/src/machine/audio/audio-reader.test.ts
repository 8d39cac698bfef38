import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hostileFiles, misleadingFiles, mutatedRecordings } from '../../testing/hostile-files.ts'
import { openFilesUnder } from '../../testing/open-files.ts'
import { probeAudio, rewrapAudio, wholenessOf } from './audio-reader.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'reader-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

let files = 0
async function fileOf(bytes: Buffer): Promise<string> {
  const file = path.join(folder, String((files += 1)))
  await writeFile(file, bytes)
  return file
}

test('there are at least sixty hostile files', () => {
  expect(new Set(hostileFiles.map(([name]) => name)).size).toBeGreaterThanOrEqual(60)
})

test.each(hostileFiles)('refuses %s and reports its completeness', async (_, bytes) => {
  const file = await fileOf(bytes)
  await expect(probeAudio(file)).rejects.toMatchObject({ code: 'unsupported_audio' })
  expect(await wholenessOf(file)).toMatchObject({ state: expect.any(String) as string })
  await rm(file)
})

test.each(misleadingFiles)('writes %s under a true header', async (_, bytes) => {
  const file = await fileOf(bytes)
  const before = await probeAudio(file)
  expect(before).toMatchObject({ extension: 'mp3', isRewrapped: true, wholeSeconds: undefined })
  expect(await rewrapAudio({ path: file, target: `${file}.mp3` })).toBeGreaterThan(4_000)
  expect(await probeAudio(`${file}.mp3`)).toMatchObject({
    isRewrapped: false,
    durationSeconds: before.durationSeconds,
  })
})

test('hostile files do not block the main thread', async () => {
  const file = await fileOf(Buffer.alloc(4 << 20, '\xff\xfb', 'latin1'))
  let isRead = false
  const reading = probeAudio(file).catch(() => undefined)
  void reading.then(() => (isRead = true))
  let turns = 0
  while (!isRead) {
    await new Promise((resolve) => setImmediate(resolve))
    turns += 1
  }
  expect(turns).toBeGreaterThan(100)
})

test('stops when the caller is gone, then continues', async () => {
  const gone = new AbortController()
  const file = await fileOf(Buffer.alloc(4 << 20, '\xff\xfb', 'latin1'))
  const reading = probeAudio(file, gone.signal)
  gone.abort()
  await expect(reading).rejects.toMatchObject({ reason: 'caller gone' })
  await expect(probeAudio(file)).rejects.toMatchObject({ code: 'unsupported_audio' })
})

test('handles mutated recordings and closes their files', async () => {
  const wrong: string[] = []
  let refused = 0
  const count = Number(process.env['FUZZED_FILES'] ?? 1000)
  for await (const [name, bytes] of mutatedRecordings(count, 7)) {
    const file = await fileOf(bytes)
    const [facts] = await Promise.all([
      probeAudio(file).catch((error: { code?: unknown }) => error.code),
      wholenessOf(file),
    ])
    const isRead = typeof facts === 'object' && facts !== null && 'durationSeconds' in facts
    if (isRead && 'isRewrapped' in facts && facts.isRewrapped) {
      const target = `${file}.new`
      await rewrapAudio({ path: file, target }).catch((error: { code?: unknown }) => {
        if (error.code !== 'unsupported_audio') wrong.push(`${name}, written anew: ${String(error.code)}`)
      })
      await rm(target, { force: true })
    }
    if (!isRead && facts !== 'unsupported_audio') wrong.push(`${name}: ${String(facts)}`)
    if (!isRead) refused += 1
    await rm(file)
  }
  if (process.env['FUZZED_FILES']) console.info(`${count} mutated recordings, ${refused} refused`)
  expect(wrong).toEqual([])
  expect(openFilesUnder(folder)).toEqual([])
}, 3_600_000)
