import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseBlob } from 'music-metadata'
import { expect, test } from 'vitest'
import { taggedBlob } from './download-saved.ts'

const teaching = { title: 'Hope', speaker: 'Jane', date: '2026-11-22', scriptureReference: 'Romans 8' }
const fixture = (name: string) =>
  readFile(path.join(import.meta.dirname, '../../../../../infra/dev/fixtures', name))

test.each([
  ['an M4A that has no boxes', 'm4a', 'no boxes'],
  ['a WAV that is none', 'wav', 'RIFF'],
  ['a kind that is not known', 'ogg', 'OggS'],
])('%s is exported unchanged', async (_, extension, bytes) => {
  const blob = new Blob([bytes])
  expect(await taggedBlob(blob, extension, teaching)).toBe(blob)
})

test.each(['cbr.mp3', 'speech.wav', 'faststart.m4a', 'slow.m4a'])(
  '%s gets the tags of the library',
  async (name) => {
    const bytes = new Blob([new Uint8Array(await fixture(name))])
    const before = await parseBlob(bytes)
    const { common, format } = await parseBlob(await taggedBlob(bytes, name.split('.')[1]!, teaching))
    expect(common).toMatchObject({
      title: 'Hope',
      artist: 'Jane',
      album: 'Bulls Christian Fellowship',
      date: '2026-11-22',
    })
    expect(format.numberOfSamples).toBe(before.format.numberOfSamples)
  },
)
