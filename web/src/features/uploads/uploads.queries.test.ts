import { CallError } from '@fellowship/sync/call/call-error'
import { describe, expect, test } from 'vitest'
import { outcomeOfFailedCheck } from './uploads.queries.ts'

const refused = (status: number, body: Record<string, unknown>) => new CallError(status, JSON.stringify(body))

describe('a failed duplicate check', () => {
  test.each([
    ['a 500 response is a failed check', refused(500, { error: 'Something went wrong' }), { kind: 'failed' }],
    [
      'a 409 response is a duplicate',
      refused(409, { error: 'Already there', code: 'duplicate' }),
      { kind: 'duplicate', message: 'Already there' },
    ],
    [
      'a 409 response leads to the teaching that is there',
      refused(409, {
        error: 'Already there',
        code: 'duplicate',
        duplicateOf: {
          id: 1,
          uid: '01a2b3c4-0000-7000-8000-0000000000ab',
          title: 'Hope',
          scriptureReference: null,
          speaker: 'Jane Doe',
          date: '2026-11-22',
        },
      }),
      { kind: 'duplicate', message: 'Already there', path: '/teaching/2026-11-22-hope-0000000000ab' },
    ],
    [
      'a 401 response queues the recording: the queue asks for the sign-in',
      refused(401, { code: 'unauthorized', error: 'Unauthorized' }),
      { kind: 'new' },
    ],
  ])('%s', (_, error, outcome) => {
    expect(outcomeOfFailedCheck(error)).toEqual(outcome)
  })

  test('a 400 response lists its parse errors', () => {
    const parsedData = {
      title: '',
      speaker: '',
      scriptureReference: '',
      date: '',
      isValid: false,
      errors: ['No date.'],
    }
    expect(outcomeOfFailedCheck(refused(400, { error: 'No date.', parsedData }))).toEqual({
      kind: 'issues',
      parsed: parsedData,
    })
  })
})
