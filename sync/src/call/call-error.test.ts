import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { expect, test } from 'vitest'
import { CallError, NetworkError, parseAnswer, sentenceOfError } from './call-error.ts'

const full = 'This device is full. Free some space on it and try again.'

test.each<[string, unknown, string]>([
  ['the server, in its words', new CallError(404, '{"error":"Gone."}'), 'Gone.'],
  [
    'a proxy with a page of its own',
    new CallError(502, '<html>'),
    'The server did not answer as expected. Try again.',
  ],
  ['no line', new NetworkError('gone'), 'No connection. Check your signal and try again.'],
  ['a device without room', new DOMException('', 'QuotaExceededError'), full],
  ['a device without room, as Dexie tells it', new Dexie.QuotaExceededError(''), full],
  [
    'a transaction broken off for want of room',
    new Dexie.AbortError('broken off', new DOMException('', 'QuotaExceededError')),
    full,
  ],
  ['an error of our own', new Error('Take another.'), 'Take another.'],
])('%s', (_, error, sentence) => expect(sentenceOfError(error)).toBe(sentence))

test("a portal's page in the place of a yes is no answer of the server", () => {
  expect(() => parseAnswer('<html>Welcome to the motel.</html>')).toThrow(NetworkError)
  expect(parseAnswer('{"yes":true}')).toEqual({ yes: true })
})
