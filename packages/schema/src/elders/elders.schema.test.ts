import { beforeAll, describe, expect, test } from 'vitest'
import { installValidationMessages } from '../validation-messages.ts'
import { photoAddress, photoSrcSet } from './elder-photo.ts'
import { elderChanges, newElder } from './elders.schema.ts'
import { elderTexts } from './elders.texts.ts'

beforeAll(installValidationMessages)

const fields = { name: 'Sample Elder', role: 'Elder', shortBio: 'Short.', extendedBio: 'Longer.' }
const hash = 'ab12'.repeat(16)

describe('refuses a new elder', () => {
  test.each([
    [{ ...fields, name: ' ' }, 'Enter a name.'],
    [{ ...fields, role: '' }, 'Enter a role.'],
    [{ ...fields, shortBio: '' }, 'Enter a short bio.'],
    [{ ...fields, extendedBio: '\n' }, 'Enter an extended bio.'],
    [{ ...fields, name: 'x'.repeat(256) }, 'String must contain at most 255 character(s)'],
    [{ ...fields, role: 'x'.repeat(101) }, 'String must contain at most 100 character(s)'],
    [{ ...fields, displayOrder: 1.5 }, 'Expected int, received number'],
    [{ ...fields, imageUrl: 'https://elsewhere.example/x.png' }, elderTexts.foreignImage],
  ])('%j: %s', (body, sentence) => {
    expect(newElder.safeParse(body).error?.issues[0]?.message).toBe(sentence)
  })

  test.each([
    ['https://elsewhere.example/face.png'],
    ['//elsewhere.example/x.webp'],
    ['/images/../app-secret'],
    [`/images/${hash}-641.webp`],
    [`/images/${hash}-640.webp?x`],
    ['data:image/png;base64,AA=='],
  ])('refuses the picture %s', (imageUrl) => {
    expect(newElder.safeParse({ ...fields, imageUrl }).success).toBe(false)
  })

  test.each([[1.5], [2_000_000]])('refuses the display order %s', (displayOrder) => {
    const parsed = newElder.safeParse({ ...fields, displayOrder })
    expect(parsed.error?.issues[0]?.path).toEqual(['displayOrder'])
  })
})

test.each([
  ['3', 3],
  [' 12 ', 12],
  ['first', 0],
  ['', 0],
  [null, 0],
  [true, 0],
  [undefined, 0],
  [-1, -1],
])('display order %j is %i', (displayOrder, expected) => {
  expect(newElder.parse({ ...fields, displayOrder }).displayOrder).toBe(expected)
})

test('an update leaves absent fields absent', () => {
  expect(elderChanges.parse({ name: 'New Name' })).toEqual({ name: 'New Name' })
  expect(elderChanges.parse({ imageUrl: null, displayOrder: 'x' })).toEqual({
    imageUrl: null,
    displayOrder: 0,
  })
  expect(elderChanges.safeParse({ name: '' }).success).toBe(false)
})

test('a photo has one URL and three sizes', () => {
  expect(newElder.parse({ ...fields, imageUrl: photoAddress(hash) }).imageUrl).toBe(
    `/images/${hash}-640.webp`,
  )
  expect(photoSrcSet(photoAddress(hash))).toBe(
    `/images/${hash}-320.webp 320w, /images/${hash}-640.webp 640w, /images/${hash}-960.webp 960w`,
  )
  expect(photoSrcSet('/elsewhere.png')).toBeUndefined()
})
