import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { playlist, exportNames, exportParts, type ExportedAudio } from './pack-export.ts'

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
