import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  CallError,
  NetworkError,
  networkErrorOf,
  parseAnswer,
  sentenceOfError,
  TooManyRequests,
} from './call-error.ts'

const full = 'This device is full. Free some space on it and try again.'

test.each<[string, unknown, string]>([
  ['an error response with a sentence of its own', new CallError(404, '{"error":"Gone."}'), 'Gone.'],
  [
    'an HTML error page of a proxy',
    new CallError(502, '<html>'),
    'The server did not answer as expected. Try again.',
  ],
  ...['', '{"code":"bad"}', ' <html>'].map((body): [string, unknown, string] => [
    `a proxy's answer without words for people: ${body}`,
    new CallError(429, body, { statusText: 'Too Many Requests', headers: new Headers() }),
    'The server did not answer as expected. Try again.',
  ]),
  ['no connection', new NetworkError('gone'), 'No connection. Check your signal and try again.'],
  ['a full device', new DOMException('', 'QuotaExceededError'), full],
  ['a full device, as wrapped by Dexie', new Dexie.QuotaExceededError(''), full],
  [
    'a transaction aborted by a full device',
    new Dexie.AbortError('aborted', new DOMException('', 'QuotaExceededError')),
    full,
  ],
  [
    'requests of others',
    new TooManyRequests(0),
    'This device asked too often in the last minute. Try again in a minute.',
  ],
  [
    'own requests that failed',
    new TooManyRequests(0, 'failed'),
    'This device asked too often in the last minute. Try again in a minute.',
  ],
  [
    'own requests without an answer',
    new TooManyRequests(0, 'unanswered'),
    'No connection. Check your signal and try again.',
  ],
  [
    'a long text of a proxy',
    new CallError(502, 'x'.repeat(301)),
    'The server did not answer as expected. Try again.',
  ],
  ['a text of a proxy', new CallError(502, 'x'.repeat(300)), 'x'.repeat(300)],
  ['an empty sentence beside a message', new CallError(400, '{"error":"","message":"Say why."}'), 'Say why.'],
  ['what is no error', 'gone', 'gone'],
  ['any other error', new Error('Take another.'), 'Take another.'],
])('sentence for %s', (_, error, sentence) => expect(sentenceOfError(error)).toBe(sentence))

test.each([
  ['the HTML of a captive portal', '<html>Welcome to the motel.</html>'],
  ['nothing', ''],
  ['an empty object', '{}'],
  ["a proxy's JSON", '{"status":"ok"}'],
  ['a list', '[]'],
  ['a string', '"ok"'],
  ['an answer without its teaching', '{"success":true}'],
  ['an answer cut off', JSON.stringify({ success: true, teaching: aTeaching() }).slice(0, -9)],
])('%s is no answer to a call: a NetworkError', (_, text) =>
  expect(() => parseAnswer(uploads.finalize, text)).toThrow(NetworkError),
)

test('returns unknown members of an answer', () => {
  const answer = { success: true, teaching: { ...aTeaching(), subtitle: 'Later' }, more: 1 }
  expect(parseAnswer(uploads.finalize, JSON.stringify(answer))).toEqual(answer)
})

test('a wait of this device is no network error', () => {
  const waits = new TooManyRequests(5)
  expect(networkErrorOf(waits)).toBe(waits)
  const gone = new NetworkError('gone')
  expect(networkErrorOf(gone)).toBe(gone)
  expect(networkErrorOf(new TypeError('failed'))).toBeInstanceOf(NetworkError)
})

test.each<[unknown, string | undefined, number]>([
  [30, undefined, 30_000],
  [undefined, '30', 30_000],
  [undefined, 'Thu, 01 Jan 1970 00:00:05 GMT', 5_000],
  [-1, undefined, 0],
  [undefined, 'soon', 0],
  [undefined, undefined, 0],
])('a body of %j and a header of %j ask to wait %i ms', (retryAfter, header, ms) => {
  vi.useFakeTimers({ now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  const headers = new Headers(header === undefined ? {} : { 'retry-after': header })
  const error = new CallError(429, JSON.stringify({ retryAfter }), { statusText: '', headers })
  expect(error.retryAfterMs).toBe(ms)
})

test.each([
  ['{"success":false,"code":"busy"}', 'busy'],
  ['{"success":false,"code":5}', undefined],
  ['{"success":true,"code":"busy"}', undefined],
  ['null', undefined],
])('%s has the code %s', (text, code) => {
  const error = new CallError(400, text)
  expect([error.code, error.message, error.isEmpty]).toEqual([code, `400: ${text}`, false])
})

test('an answer without a body shows its status text', () => {
  const error = new CallError(502, '', { statusText: 'Bad Gateway', headers: new Headers() })
  expect([error.message, error.isEmpty]).toEqual(['502: Bad Gateway', true])
})
