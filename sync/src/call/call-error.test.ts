import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
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

test('parsing the HTML of a captive portal throws a NetworkError', () => {
  expect(() => parseAnswer('<html>Welcome to the motel.</html>')).toThrow(NetworkError)
  expect(parseAnswer('{"yes":true}')).toEqual({ yes: true })
})
