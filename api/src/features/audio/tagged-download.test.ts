import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { taggedParts } from '@fellowship/sound/write/tags'
import { audioExtensions, audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { diskBlobStore } from '../../machine/storage/disk-blob-store.ts'
import { mutatedRecordings } from '../../testing/hostile-files.ts'
import { fixture } from '../../testing/multipart.ts'
import { canProbe, recordSource, soundOf } from '../../testing/recordings.ts'
import { downloadTagging, tagPicture } from './tagged-download.ts'

const run = promisify(execFile)
const folder = await mkdtemp(path.join(tmpdir(), 'tagged-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
await mkdir(path.join(folder, 'blobs'))
const blobs = diskBlobStore(path.join(folder, 'blobs'))

const words = {
  title: 'Māori “hymns” & joy',
  speaker: 'Jane Doe',
  date: '2026-11-22',
  scriptureReference: 'Romans 8',
}

/** The file of a download; unchanged if its structure is not understood. */
async function downloaded(name: string, change: Partial<typeof words> = {}) {
  const bytes = await readFile(path.join(folder, name))
  const extension = path.extname(name).slice(1) as AudioExtension
  await writeFile(path.join(folder, 'blobs', 'audio', name), bytes)
  const stored = (await blobs.open('audio', name))!
  const picture = await tagPicture(path.join(import.meta.dirname, '../../../../web/public'))
  const facts = { sha256: 'a'.repeat(64), mime: audioMime[extension], bytes: stored.bytes }
  const recording = { ...facts, ...words, ...change }
  const tagged = await downloadTagging()(stored, { recording, extension, picture })
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

test('a site without a picture has none in its downloads', async () => {
  expect(await tagPicture('/nowhere')).toBeUndefined()
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

const noise = 'anoisesrc=d=3:a=0.1:r=44100:seed=5'
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
      const source = ['-v', 'error', '-f', 'lavfi', '-i', 'sine=d=3', '-f', 'wav', 'pipe:1']
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
    expect(await soundOf(file)).toBe(await soundOf(path.join(folder, name)))
    const again = await downloaded(name, { title: 'Another' })
    expect(again.tag).not.toBe(tag)
    expect((await saidBy(again.file)).format.tags['title']).toBe('Another')
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

test('caches the latest downloads, not across a new title', async () => {
  const bytes = await fixture('faststart.m4a')
  await writeFile(path.join(folder, 'blobs', 'audio', 'known.m4a'), bytes)
  const stored = (await blobs.open('audio', 'known.m4a'))!
  const tagDownload = downloadTagging(1)
  const ask = (title: string) =>
    tagDownload(stored, {
      recording: { sha256: 'b'.repeat(64), mime: 'audio/mp4', bytes: stored.bytes, ...words, title },
      extension: 'm4a',
      picture: undefined,
    })
  const first = await ask('One')
  expect(await ask('One')).toBe(first)
  expect((await ask('Two'))!.tag).not.toBe(first!.tag)
  const again = await ask('One')
  expect([again === first, again!.tag]).toEqual([false, first!.tag])
  await stored.close()
})
