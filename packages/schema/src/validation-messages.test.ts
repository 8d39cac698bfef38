import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { login, registration } from './auth/auth.schema.ts'
import { teachingEdit, teachingFields } from './teachings/teachings.schema.ts'
import { installValidationMessages } from './validation-messages.ts'

beforeAll(installValidationMessages)

const messages = (schema: z.ZodType, input: unknown) =>
  schema.safeParse(input).error?.issues.map((issue) => issue.message) ?? []

describe('generic messages', () => {
  test.each([
    [z.string(), undefined, 'Required'],
    [z.object({ name: z.string() }), {}, 'Required'],
    [z.string(), 5, 'Expected string, received number'],
    [z.string(), null, 'Expected string, received null'],
    [z.number(), '5', 'Expected number, received string'],
    [z.number(), Number.NaN, 'Expected number, received nan'],
    [z.object({}), [], 'Expected object, received array'],
    [z.boolean(), 'false', 'Expected boolean, received string'],
    [z.enum(['user', 'admin']), 'owner', "Invalid enum value. Expected 'user' | 'admin', received 'owner'"],
    [z.literal(true), false, 'Invalid literal value, expected true'],
    [z.string().min(8), 'short', 'String must contain at least 8 character(s)'],
    [z.string().max(2), 'long', 'String must contain at most 2 character(s)'],
    [z.array(z.string()).min(1), [], 'Array must contain at least 1 element(s)'],
    [z.number().min(1), 0, 'Number must be greater than or equal to 1'],
    [z.number().max(1), 2, 'Number must be less than or equal to 1'],
    [z.email(), 'nobody', 'Invalid email address'],
    [z.uuid(), 'nothing', 'Invalid uuid'],
    [z.strictObject({}), { extra: 1 }, "Unrecognized key(s) in object: 'extra'"],
    [z.union([z.string(), z.number()]), true, 'Invalid input'],
    [z.string().refine(() => false), 'x', 'Invalid input'],
  ])('case %#', (schema, input, sentence) => {
    expect(messages(schema, input)).toEqual([sentence])
  })

  test('a valid value has no message', () => {
    expect(messages(z.string().min(8), 'long enough')).toEqual([])
  })
})

describe("a schema's own message takes precedence", () => {
  test('sign-in and registration', () => {
    expect(messages(login, { email: 'nobody', password: '' })).toEqual([
      'Invalid email address',
      'Password is required',
    ])
    expect(messages(registration, { email: 'a@b.nz', password: 'short', name: 'x' })).toEqual([
      'Password must be at least 8 characters',
      'Name must be at least 2 characters',
    ])
    expect(messages(login, {})).toEqual(['Required', 'Required'])
  })

  test('teachings', () => {
    expect(messages(teachingFields, { speaker: 'x', date: '2026-02-30', title: 'y' })).toEqual([
      'A valid date is required',
    ])
    expect(messages(teachingFields, { speaker: 'x', date: '2026-02-03' })).toEqual([
      'Either a title or scripture reference is required',
    ])
    expect(messages(teachingEdit, { title: ' ', speaker: '', date: '2026-02-03' })).toEqual([
      'Title is required',
      'Speaker name is required',
    ])
  })
})
