import { expect, test } from 'vitest'
import { handoutAddress, handoutAt, handoutName, shownHandout } from './handout-file.ts'
import { handoutList } from './handouts.schema.ts'
import { handoutLimits } from './handouts.limits.ts'

const hash = 'ab'.repeat(32)
const outline = { hash, name: 'Outline.pdf', type: 'pdf', bytes: 2_000 } as const

test.each([
  `/handouts/${hash}`,
  `/handouts/${hash}.exe`,
  `/handouts/${hash.toUpperCase()}.pdf`,
  `/handouts/${hash}.pdf/a`,
  `/handouts/../${hash}.pdf`,
  `/images/${hash}.png`,
])('%s is no handout', (pathname) => {
  expect(handoutAt(pathname)).toBeUndefined()
})

test('an address names its handout', () => {
  expect(handoutAt(handoutAddress(outline))).toEqual({ hash, type: 'pdf' })
})

test.each([
  ['Outline.PDF', 'pdf', 'Outline.pdf'],
  ['photo.jpeg', 'jpg', 'photo.jpg'],
  ['notes.exe', 'pdf', 'notes.exe.pdf'],
  ['../../etc/passwd', 'pdf', 'etc passwd.pdf'],
  ['C:\\Users\\Ruth\\Map.png', 'png', 'C Users Ruth Map.png'],
  ['a\u202Efdp.exe\u0000\n', 'pdf', 'a fdp.exe.pdf'],
  ['.pdf', 'pdf', 'Handout.pdf'],
  ['', 'webp', 'Handout.webp'],
  ['😀'.repeat(200), 'pdf', `${'😀'.repeat(58)}.pdf`],
] as const)('the name %j of a %s becomes %j', (given, type, name) => {
  expect(handoutName(given, type)).toBe(name)
  expect(handoutList.safeParse([{ ...outline, name, type }]).success).toBe(true)
})

test('lists show a name without its extension', () => {
  expect(shownHandout(outline)).toBe('Outline')
})

test.each<[string, unknown]>([
  ['no handout', []],
  ['six handouts', Array.from({ length: 6 }, (_, at) => ({ ...outline, hash: String(at).repeat(64) }))],
  ['one twice', [outline, outline]],
  ['a path', [{ ...outline, name: '../a.pdf' }]],
  ['a long name', [{ ...outline, name: 'a'.repeat(handoutLimits.name + 1) }]],
  ['another type', [{ ...outline, type: 'svg' }]],
  ['another hash', [{ ...outline, hash: '../secret' }]],
  ['no bytes', [{ ...outline, bytes: 0 }]],
  ['too many bytes', [{ ...outline, bytes: handoutLimits.bytes + 1 }]],
  ['another member', [{ ...outline, script: 'x' }]],
])('refuses a row with %s', (_, list) => {
  expect(handoutList.safeParse(list).success).toBe(false)
})
