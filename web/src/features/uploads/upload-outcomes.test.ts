import { aTeaching } from '@fellowship/schema/testing/builders'
import { CallError, NetworkError } from '@fellowship/sync/call/call-error'
import { describe, expect, it } from 'vitest'
import { IncompleteAnswer, UploadTimeout } from '../../lib/send-form.ts'
import { outcomeOfFailedCheck, outcomeOfFailedUpload, outcomeOfUpload } from './upload-outcomes.ts'

const refused = (status: number, body: Record<string, unknown>) => new CallError(status, JSON.stringify(body))

describe('a failed duplicate check', () => {
  it.each([
    ['signed out', refused(401, { code: 'unauthorized', error: 'Unauthorized' }), { kind: 'unauthorized' }],
    ['no line', new NetworkError('down'), { kind: 'failed' }],
    ['a broken server', refused(500, { error: 'Something went wrong' }), { kind: 'failed' }],
    [
      'a duplicate',
      refused(409, { error: 'Already there', code: 'duplicate' }),
      { kind: 'duplicate', message: 'Already there' },
    ],
  ])('%s', (_, error, outcome) => {
    expect(outcomeOfFailedCheck(error)).toEqual(outcome)
  })

  it('may bring what the name was read as', () => {
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

describe('a failed upload', () => {
  it.each([
    ['signed out', refused(401, { code: 'unauthorized', error: 'Unauthorized' }), { kind: 'unauthorized' }],
    ['409', refused(409, { error: 'The same recording' }), { kind: 'duplicate' }],
    [
      'the words of a duplicate',
      refused(400, { error: 'Duplicate sermon detected: Hope' }),
      { kind: 'duplicate' },
    ],
    ['five minutes without a byte', new UploadTimeout(), { kind: 'timeout' }],
    ['an abort', new DOMException('stopped', 'AbortError'), { kind: 'timeout' }],
    ['an answer that breaks off', new IncompleteAnswer('no JSON'), { kind: 'incomplete' }],
    ['a refusal', refused(415, { error: 'Not an MP3.' }), { kind: 'failed', message: 'Not an MP3.' }],
    [
      'no line',
      new NetworkError('down'),
      { kind: 'failed', message: 'No connection. Check your signal and try again.' },
    ],
  ])('%s', (_, error, outcome) => {
    expect(outcomeOfFailedUpload(error)).toEqual(outcome)
  })
})

describe('an answered upload', () => {
  it.each([null, {}, { teaching: null }])('is incomplete when it is %j', (answer) => {
    expect(outcomeOfUpload(answer)).toEqual({ kind: 'incomplete' })
  })
  it('is done with its teaching', () => {
    expect(outcomeOfUpload({ teaching: aTeaching() })).toEqual({ kind: 'done', teaching: aTeaching() })
  })
})
