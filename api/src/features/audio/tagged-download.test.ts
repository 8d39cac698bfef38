import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { taggedParts } from '@fellowship/sound/write/tags'
import { audioExtensions, audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { diskBlobStore } from '../../machine/storage/disk-blob-store.ts'
import { mutatedRecordings } from '../../testing/hostile-files.ts'
import { fixture } from '../../testing/multipart.ts'
import { canProbe, recordSource, soundOf } from '../../testing/recordings.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { downloadTagging, tagPicture } from './tagged-download.ts'

const run = promisify(execFile)
const folder = await mkdtemp(path.join(tmpdir(), 'tagged-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
await mkdir(path.join(folder, 'blobs'))
const blobs = diskBlobStore(path.join(folder, 'blobs'))

/** The signal of a caller that waits for its answer. */
const stays = new AbortController().signal

const words = {
  title: 'Māori “hymns” & joy',
  speaker: 'Jane Doe',
  date: '2026-11-22',
  scriptureReference: 'Romans 8',
  chapters: null,
  duration: '0:10',
}

/** The file of a download; unchanged if its structure is not understood. */
async function downloaded(name: string, change: Partial<typeof words> = {}) {
  const bytes = await readFile(path.join(folder, name))
  const extension = path.extname(name).slice(1) as AudioExtension
  await writeFile(path.join(folder, 'blobs', 'audio', name), bytes)
  const stored = (await blobs.open('audio', name))!
  const picture = { mime: 'image/png' as const, bytes: new Uint8Array(plainPng(192, 192)) }
  const facts = { sha256: 'a'.repeat(64), mime: audioMime[extension], bytes: stored.bytes }
  const recording = { ...facts, ...words, ...change }
  const tagged = await downloadTagging().use(
    stored,
    { recording, extension, picture },
    stays,
    async (it) => it,
  )
  await stored.close()
  const parts = tagged?.parts ?? [bytes]
  const file = path.join(folder, `tagged-${name}`)
  await writeFile(
    file,
    Buffer.concat(parts.map((part) => ('from' in part ? bytes.subarray(part.from, part.to) : part))),
  )
  return { file, tag: tagged?.tag }
}

interface Said {
  format: { tags: Record<string, string> }
  streams: { codec_name: string; width?: number; disposition: { attached_pic: number } }[]
}

async function saidBy(file: string): Promise<Said> {
  const shown = ['-show_entries', 'format_tags:stream=codec_name,width:stream_disposition=attached_pic']
  const { stdout, stderr } = await run('ffprobe', ['-v', 'error', ...shown, '-of', 'json', file])
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Said
}

test('downloads go without a picture that cannot be drawn', async () => {
  expect(await tagPicture(() => Promise.reject(new Error('no decoder')))()).toBeUndefined()
})

test('parts of a mutated recording stay within it, in order', async () => {
  let [tagged, alone] = [0, 0]
  for await (const [name, bytes] of mutatedRecordings(1_000, 11)) {
    const read = (from: number, length: number) => Promise.resolve(bytes.subarray(from, from + length))
    for (const extension of audioExtensions) {
      const parts = await taggedParts({ size: bytes.length, read }, extension, { teaching: words })
      let at = 0
      for (const part of parts ?? []) {
        if (!('from' in part)) continue
        expect([name, part.from >= at && part.to >= part.from && part.to <= bytes.length]).toEqual([
          name,
          true,
        ])
        at = part.to
      }
      if (parts) tagged += 1
      else alone += 1
    }
  }
  expect(Math.min(tagged, alone)).toBeGreaterThan(100)
})

const old = [
  '-metadata',
  'title=Old title',
  '-metadata',
  'artist=Old artist',
  '-metadata',
  'comment=Old words',
]
const early = ['-movflags', '+faststart']

const noise = 'anoisesrc=d=1:a=0.1:r=44100:seed=5'
const made: [name: string, make: (file: string) => Promise<void>][] = [
  ['plain.mp3', (file) => recordSource(file, noise, ['-b:a', '64k'])],
  ['plain-16.wav', (file) => recordSource(file, noise, ['-c:a', 'pcm_s16le', '-bitexact'])],
  ['tagged-24.wav', (file) => recordSource(file, noise, ['-c:a', 'pcm_s24le', ...old])],
  ['float.wav', (file) => recordSource(file, noise, ['-ar', '96000', '-c:a', 'pcm_f32le', ...old])],
  ['odd.wav', (file) => recordSource(file, 'sine=r=8000:d=1.000125', ['-c:a', 'pcm_u8'])],
  ['id3.wav', (file) => recordSource(file, noise, [...old, '-write_id3v2', '1'])],
  [
    'streamed.wav',
    async (file) => {
      const source = ['-v', 'error', '-f', 'lavfi', '-i', 'sine=d=1', '-f', 'wav', 'pipe:1']
      const { stdout } = await run('ffmpeg', source, { encoding: 'buffer', maxBuffer: 1 << 24 })
      await writeFile(file, stdout)
    },
  ],
  ['index-behind.m4a', (file) => recordSource(file, noise, ['-c:a', 'aac', ...old])],
  ['index-before.m4a', (file) => recordSource(file, noise, ['-c:a', 'aac', ...old, ...early])],
  ['lossless.m4a', (file) => recordSource(file, noise, ['-c:a', 'alac', ...early])],
  ['phone.m4a', async (file) => writeFile(file, await fixture('faststart.m4a'))],
  [
    'video-tags.m4a',
    (file) => recordSource(file, noise, [...old, '-movflags', '+faststart+use_metadata_tags']),
  ],
  ['long.m4a', (file) => recordSource(file, 'sine=d=40', ['-b:a', '32k', ...old, ...early])],
]

describe.skipIf(!canProbe)('a download, as ffmpeg reads it', () => {
  test.each(made)('ffmpeg reads tags, picture and unchanged audio from %s', async (name, make) => {
    await make(path.join(folder, name))
    const { file, tag } = await downloaded(name)
    expect(tag).toMatch(/^"a{64}-[0-9a-f]{16}"$/)
    const { format, streams } = await saidBy(file)
    expect(format.tags).toMatchObject({
      title: words.title,
      artist: words.speaker,
      date: words.date,
      comment: words.scriptureReference,
      album: 'Bulls Christian Fellowship',
      genre: 'Speech',
    })
    expect(JSON.stringify(format.tags)).not.toContain('Old')
    expect(streams.filter(({ disposition }) => disposition.attached_pic)).toMatchObject([
      { codec_name: 'png', width: 192 },
    ])
    const [sent, original] = await soundOf(file, path.join(folder, name))
    expect(sent).toBe(original)
    const again = await downloaded(name, { title: 'Another' })
    expect(again.tag).not.toBe(tag)
    expect((await readFile(again.file)).includes('Another')).toBe(true)
  })

  test.each([
    ['fragments.m4a', ['-c:a', 'aac', '-movflags', '+frag_keyframe+empty_moov']],
    ['large.wav', ['-rf64', 'always']],
  ])('sends %s, of another structure, unchanged', async (name, output) => {
    await recordSource(path.join(folder, name), noise, output)
    const { file, tag } = await downloaded(name)
    expect(tag).toBeUndefined()
    expect((await readFile(file)).equals(await readFile(path.join(folder, name)))).toBe(true)
  })
})

async function stored(name: string) {
  await writeFile(path.join(folder, 'blobs', 'audio', name), await fixture('faststart.m4a'))
  const file = (await blobs.open('audio', name))!
  onTestFinished(() => file.close())
  const tags = (title: string) => ({
    recording: { sha256: 'b'.repeat(64), mime: 'audio/mp4', bytes: file.bytes, ...words, title },
    extension: 'm4a' as const,
    picture: undefined,
  })
  return { file, tags }
}

test('caches the latest downloads, not across a new title', async () => {
  const { file, tags } = await stored('known.m4a')
  const tagging = downloadTagging({ mostBytes: 1 })
  const ask = (title: string) => tagging.use(file, tags(title), stays, async (tagged) => tagged)
  const cached = downloadTagging()
  const get = (title: string) => cached.use(file, tags(title), stays, async (tagged) => tagged)
  const first = await get('One')
  expect(await get('One')).toBe(first)
  expect((await get('Two'))!.tag).not.toBe(first!.tag)
  const [one, again] = [await ask('One'), await ask('One')]
  expect([one === again, again!.tag]).toEqual([false, first!.tag])
})

test('concurrent downloads of a recording share its index', async () => {
  const { file, tags } = await stored('shared.m4a')
  const tagging = downloadTagging({ mostBytes: 1 })
  await tagging.use(file, tags('One'), stays, async (first) => {
    await tagging.use(file, tags('One'), stays, async (second) => expect(second).toBe(first))
    // Its bytes are the whole budget.
    await expect(tagging.use(file, tags('Two'), stays, async () => undefined)).rejects.toMatchObject({
      code: 'unavailable',
      extra: { retryAfter: 10 },
    })
  })
  expect(await tagging.use(file, tags('Two'), stays, async (tagged) => tagged)).toBeDefined()
})

test('refuses a download if too many wait, until callers leave', async () => {
  const { file, tags } = await stored('queue.m4a')
  const tagging = downloadTagging({ mostWaiting: 2 })
  const caller = new AbortController()
  const ask = (title: string, gone = stays) => tagging.use(file, tags(title), gone, async (tagged) => tagged)
  const left = ask('One', caller.signal)
  const waiting = ask('Two')
  await expect(ask('Three')).rejects.toMatchObject({ code: 'unavailable' })
  caller.abort()
  await expect(left).rejects.toThrow(/caller gone/)
  expect(await waiting).toBeDefined()
  expect(await ask('Three')).toBeDefined()
})
