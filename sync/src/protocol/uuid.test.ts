import { expect, test } from 'vitest'
import { uuidv7 } from './uuid.ts'

test('ids sort by their time', () => {
  expect(uuidv7(0x0123456789ab)).toMatch(/^01234567-89ab-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
})
