import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { coverAt, coverKinds, coverPath } from './cover-path.ts'
import { setTitle, widthOf } from './cover-type.ts'
import { coverSvg } from './cover.ts'

test.for([
  '/covers/2/series/',
  '/covers/2/elders/A.svg',
  '/covers/0/series/A.svg',
  '/covers/2/series/A.jpg',
  '/covers/2/series/A/B.svg',
  '/covers/2/series/%E0%A4.svg',
])('rejects the path %s', (path) => {
  expect(coverAt(path)).toBeUndefined()
})

test.for(['Grace, and truth', 'Why? 50% / #1', '..', 'Ngā waiata', '天国', 'A.svg'])(
  'finds %s at its own path',
  (title) => {
    for (const kind of coverKinds)
      expect(coverAt(coverPath({ kind, title }, 'png'))).toEqual({ kind, title, format: 'png' })
  },
)

test('builds a path from half a surrogate pair', () => {
  expect(coverPath({ kind: 'series', title: 'A\ud83d' }, 'svg')).toBe('/covers/2/series/A%EF%BF%BD.svg')
})

test('escapes markup in letters without outlines', () => {
  const svg = coverSvg({ kind: 'teaching', title: '天<script>&' })
  expect(svg).toContain('天&lt;script&gt;&amp;')
  expect(svg).not.toContain('<script')
})

test('draws no fonts of the system for pictures of a server', () => {
  expect(coverSvg({ kind: 'teaching', title: '天国' }, { responds: false })).not.toContain('<text')
})

test('differs by title and by kind', () => {
  const drawings = new Set(
    ['Hope', 'Faith', 'Love'].flatMap((title) => coverKinds.map((kind) => coverSvg({ kind, title }))),
  )
  expect(drawings.size).toBe(12)
})

// A browser and a directory keep the drawing of an address for ever.
test('keeps its drawings while the version in the path is the same', () => {
  const drawings = Array.from({ length: 40 }, (_, at) => coverSvg({ kind: 'series', title: `Part ${at}` }))
  const hash = createHash('sha256').update(drawings.join('')).digest('hex').slice(0, 16)
  expect({ path: coverPath({ kind: 'series', title: 'A' }, 'svg'), hash }).toEqual({
    path: '/covers/2/series/A.svg',
    hash: '69c6166e63300b5c',
  })
})

const room = { width: 832, height: 390 }

test.for([
  ['a word', 'Ruth'],
  ['a long sentence', 'Nothing can separate us from the love of God in Christ Jesus our Lord'],
  ['a long word', 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'],
  ['fifty words', 'word '.repeat(50).trim()],
  ['the widest title of the database', 'W'.repeat(255)],
] as const)('fits %s into its room', ([, title]) => {
  const { size, lines } = setTitle(title, room)
  for (const line of lines) expect((widthOf(line) * size) / 1000).toBeLessThanOrEqual(room.width)
  expect(lines.length * size * 1.06).toBeLessThanOrEqual(room.height)
})

test('sets a short title larger than a long one', () => {
  expect(setTitle('Ruth', room).size).toBeGreaterThan(setTitle('The Sermon on the Mount', room).size)
})

test('leaves a number beside its word', () => {
  expect(setTitle('1 Corinthians', room).lines).toEqual(['1\u00a0Corinthians'])
})

test('ends a title that is too long in an ellipsis', () => {
  expect(setTitle('word '.repeat(80), room).lines.at(-1)).toMatch(/…$/)
})
