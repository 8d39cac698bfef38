import { expect, test } from 'vitest'
import { uuidv7 } from './uuid.ts'

test('an id begins with the time in 48 bits, the highest first, so that ids sort by it', () => {
  expect(uuidv7(0x0123456789ab)).toMatch(/^01234567-89ab-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
})
