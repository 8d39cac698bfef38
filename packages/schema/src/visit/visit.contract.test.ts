import { beforeAll, expect, test } from 'vitest'
import { installValidationMessages } from '../validation-messages.ts'
import { visitChanges } from './visit.contract.ts'

beforeAll(installValidationMessages)

const notPhone = 'Phone must be a number of at most 30 characters, such as 06 322 1234.'

test.each([
  [{ expect: 'x'.repeat(2_001) }, 'String must contain at most 2000 character(s)'],
  [{ forChildren: 'a\u0000b' }, 'Children must not hold control characters. Type it again.'],
  [{ phone: 'ask Ruth' }, notPhone],
  [{ phone: '0'.repeat(31) }, notPhone],
  [{ parking: 7 }, 'Expected string, received number'],
])('refuses %j: %s', (wrong, sentence) => {
  expect(visitChanges.safeParse(wrong).error?.issues.map(({ message }) => message)).toEqual([sentence])
})
