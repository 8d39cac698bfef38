import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { expect, test } from 'vitest'
import { CallError, NetworkError, parseAnswer, sentenceOfError } from './call-error.ts'

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
