import fc from 'fast-check'
import JSZip from 'jszip'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import {
  playlist,
  exportNames,
  exportParts,
  packExport,
  type ExportChoice,
  type ExportedAudio,
} from './pack-export.ts'

// The bytes are the title; sizes are claimed, so that two recordings fill more than one file.
vi.mock('./download-saved.ts', () => ({
  wholeBlob: async ({ title }: SavedRecording) => new Blob([title]),
  taggedBlob: async (blob: Blob, extension: string, { scriptureReference }: ExportChoice) =>
    new Blob([blob, ` ${extension} ${scriptureReference}`]),
}))

const recording = (over: Partial<ExportedAudio> = {}): ExportedAudio => ({
  title: 'Grace',
  speaker: 'John Smith',
  date: '2026-11-22',
  extension: 'mp3',
  bytes: 10,
  ...over,
})

describe('exportNames', () => {
  test.each([
    [{ title: 'What is "truth"?' }, '01 - 2026-11-22 What is truth - John Smith.mp3'],
    [{ title: 'a/b\\c:d*e|f<g>h' }, '01 - 2026-11-22 a b c d e f g h - John Smith.mp3'],
    [{ title: 'Te_Aroha o te Ātua' }, '01 - 2026-11-22 Te Aroha o te Atua - John Smith.mp3'],
    [{ title: '恵み' }, '01 - 2026-11-22 __ - John Smith.mp3'],
    [{ speaker: '..' }, '01 - 2026-11-22 Grace -.mp3'],
    [{ title: '\u0000\n' }, '01 - 2026-11-22 - John Smith.mp3'],
  ])('names the recording %j', (over, name) => expect(exportNames([recording(over)])).toEqual([name]))

  test('more than a hundred names sort in playing order', () => {
    const names = exportNames(Array.from({ length: 120 }, () => recording()))
    expect([...names].sort()).toEqual(names)
    expect(names[0]).toMatch(/^001 - /)
  })

  test('any title gives a name that FAT accepts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string(), (title, speaker) => {
        const [name = ''] = exportNames([recording({ title, speaker })])
        expect(name).toMatch(/^[ -~]+[^ .]\.mp3$/)
        expect(name).not.toMatch(/[<>:"/\\|?*]/)
        expect(name.length).toBeLessThan(120)
      }),
    )
  })
})

describe('exportParts', () => {
  test('sorts recordings into parts under the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 })), (sizes) => {
        const all = sizes.map((bytes, at) =>
          recording({ bytes, date: `2026-01-${String((at % 28) + 1).padStart(2, '0')}` }),
        )
        const parts = exportParts(all, 100)
        expect(parts.flat()).toHaveLength(all.length)
        expect(new Set(parts.flat()).size).toBe(all.length)
        for (const part of parts)
          expect(part.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(100)
        const dates = parts.flat().map(({ date }) => date)
        expect([...dates].sort()).toEqual(dates)
      }),
    )
  })

  test('plays the oldest first, and those of one day as they were listed', () => {
    const days = ['2026-01-02', '2026-01-03', '2026-01-01', '2026-01-02']
    const [parts] = exportParts(days.map((date, at) => recording({ date, title: `${at}` })))
    expect(parts!.map(({ title }) => title)).toEqual(['2', '0', '3', '1'])
  })

  test('a recording larger than the limit gets its own part', () => {
    expect(exportParts([recording({ bytes: 500 }), recording({ bytes: 1 })], 100)).toHaveLength(2)
  })
})

test('a playlist lists the names with CRLF line ends', () =>
  expect(playlist(['a.mp3', 'b.mp3'])).toBe('#EXTM3U\r\na.mp3\r\nb.mp3\r\n'))

describe('packExport', () => {
  const choice = (title: string, given: Partial<SavedRecording> = {}): ExportChoice => ({
    recording: {
      title,
      speaker: 'John Smith',
      date: '2026-11-22',
      url: '/audio/a.mp3',
      size: 10,
      ...given,
    } as SavedRecording,
    scriptureReference: 'Romans 8',
  })
  async function packed(choices: ExportChoice[]) {
    const shares: number[] = []
    const parts: { name: string; files: Record<string, string> }[] = []
    for await (const { name, zip } of packExport(choices, (share) => shares.push(share))) {
      const { files } = await JSZip.loadAsync(await zip.arrayBuffer())
      const read = Object.values(files).map(async (file) => [file.name, await file.async('text')] as const)
      parts.push({ name, files: Object.fromEntries(await Promise.all(read)) })
    }
    return { shares, parts }
  }
  const answers = (answer: () => Promise<Response>) => {
    vi.stubGlobal('fetch', vi.fn(answer))
    onTestFinished(() => void vi.unstubAllGlobals())
  }
  const small = { ...choice('Grace'), small: { url: '/audio/b.m4a', bytes: 5 } }

  test('packs tagged recordings with their playlist', async () => {
    const { parts, shares } = await packed([choice('Grace'), { ...choice('Hope'), scriptureReference: null }])
    const [one, two] = ['01 - 2026-11-22 Grace - John Smith.mp3', '02 - 2026-11-22 Hope - John Smith.mp3']
    const files = { [one!]: 'Grace mp3 Romans 8', [two!]: 'Hope mp3 null' }
    expect(parts).toEqual([
      { name: 'teaching.zip', files: { ...files, 'playlist.m3u': playlist([one!, two!]) } },
    ])
    expect(shares.at(-1)).toBe(1)
    expect([...shares].sort((a, b) => a - b)).toEqual(shares)
  })

  test('numbers the files if there are several', async () => {
    const size = 1_500_000_000
    const { parts, shares } = await packed([choice('Grace', { size }), choice('Hope', { size })])
    expect(parts.map(({ name }) => name)).toEqual(['teaching-1-of-2.zip', 'teaching-2-of-2.zip'])
    expect(parts.map(({ files }) => Object.keys(files).length)).toEqual([2, 2])
    expect(shares).toContain(0.5)
    expect(shares.at(-1)).toBe(1)
  })

  test('fetches the small copy with its own type', async () => {
    answers(async () => new Response('small'))
    const { parts } = await packed([small])
    expect(Object.entries(parts[0]!.files)[0]).toEqual([
      '01 - 2026-11-22 Grace - John Smith.m4a',
      'small m4a Romans 8',
    ])
    expect(fetch).toHaveBeenCalledWith('/audio/b.m4a')
  })

  test.each([
    ['there is no connection', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['the server refuses it', async () => new Response('small', { status: 503 })],
    ['it was cut off', async () => new Response('smal')],
  ])('names the small copy that is missing, as %s', async (_, answer) => {
    answers(answer)
    await expect(packed([small])).rejects.toThrow('The small copy of "Grace" could not be fetched.')
  })
})
