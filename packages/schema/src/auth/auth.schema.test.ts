import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { newUser, userChanges } from '../users/users.contract.ts'
import { installValidationMessages } from '../validation-messages.ts'
import { login, registration } from './auth.schema.ts'

beforeAll(installValidationMessages)

/** The sentence that the server answers with. */
const firstIssue = (schema: z.ZodType, input: unknown) => {
  const [issue] = schema.safeParse(input).error?.issues ?? []
  return issue && `${issue.path.join()}: ${issue.message}`
}

const account = { email: 'new@example.org', password: 'Correct-horse-9', name: 'New', role: 'user' }
const roleSentence = "role: Role must be either 'admin' or 'user'"

describe('an account', () => {
  test.each<[Record<string, unknown>, string]>([
    [{ email: undefined }, 'email: Required'],
    [{ email: 'nobody' }, 'email: Invalid email address'],
    [{ email: 'no body@example.org' }, 'email: Invalid email address'],
    [{ email: 5 }, 'email: Invalid email address'],
    [{ email: `${'a'.repeat(250)}@example.org` }, 'email: Invalid email address'],
    [{ email: '' }, 'email: Invalid email address'],
    [{ password: undefined }, 'password: Required'],
    [{ password: 'Seven77' }, 'password: Password must be at least 8 characters'],
    [{ password: '' }, 'password: Password must be at least 8 characters'],
    [{ password: 'a'.repeat(256) }, 'password: String must contain at most 255 character(s)'],
    [{ password: ['Correct-horse-9'] }, 'password: Expected string, received array'],
    [{ name: undefined }, 'name: Required'],
    [{ name: '' }, 'name: Name is required'],
    [{ name: '   ' }, 'name: Name is required'],
    [{ name: 'n'.repeat(256) }, 'name: String must contain at most 255 character(s)'],
    [{ name: null }, 'name: Expected string, received null'],
    [{ role: 'owner' }, roleSentence],
    [{ role: 'ADMIN' }, roleSentence],
    [{ role: '' }, roleSentence],
    [{ role: ['admin'] }, roleSentence],
  ])('refuses %j: %s', (change, sentence) => {
    expect(firstIssue(newUser, { ...account, ...change })).toBe(sentence)
    const [[name, value]] = Object.entries(change) as [[string, unknown]]
    const isUnchanged = value === undefined || (name === 'password' && value === '')
    expect(firstIssue(userChanges, change)).toBe(isUnchanged ? undefined : sentence)
  })
})

test.each<[unknown, string]>([
  [{}, 'email: Required'],
  [{ email: 'x', password: 'y' }, 'email: Invalid email address'],
  [{ email: 7, password: 'y' }, 'email: Invalid email address'],
  [{ email: 'a@b.nz', password: '' }, 'password: Password is required'],
  [{ email: 'a@b.nz', password: 5 }, 'password: Expected string, received number'],
  [{ email: 'a@b.nz', password: 'x'.repeat(256) }, 'password: String must contain at most 255 character(s)'],
  [[], ': Expected object, received array'],
])('a sign-in refuses %j: %s', (body, sentence) => {
  expect(firstIssue(login, body)).toBe(sentence)
})

test.each([
  [{ email: 'x' }, 'email: Invalid email address'],
  [{ password: '1234567' }, 'password: Password must be at least 8 characters'],
  [{ name: 'J' }, 'name: Name must be at least 2 characters'],
  [{ name: ' J ' }, 'name: Name must be at least 2 characters'],
])('a registration refuses %j: %s', (change, sentence) => {
  expect(firstIssue(registration, { ...account, ...change })).toBe(sentence)
})
