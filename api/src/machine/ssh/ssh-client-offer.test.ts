import { expect, test } from 'vitest'
import { keyExchangeInit } from '../../testing/ssh-packets.ts'
import { readOffer } from './ssh-client-offer.ts'

const line = Buffer.from('SSH-2.0-test\r\n')
const packet = keyExchangeInit(['a', 'b', 'c'], ['c', 'a', 'd'])
const changed = (at: number, value: number) => {
  const bytes = Buffer.from(packet)
  bytes[at] = value
  return Buffer.concat([line, bytes])
}

test('reads the ciphers of both directions, as soon as the list is whole', () => {
  const bytes = Buffer.concat([line, packet])
  expect(readOffer(bytes)).toEqual(new Set(['a', 'c']))
  expect(readOffer(Buffer.concat([bytes, packet]))).toEqual(new Set(['a', 'c']))
  for (let length = 0; length < bytes.length; length += 1)
    expect(readOffer(bytes.subarray(0, length)), `${length} bytes`).toBe('incomplete')
})

test.each([
  ['a line without an end', Buffer.alloc(256, 'x')],
  ['a packet longer than one may be', changed(1, 1)],
  ['another packet', changed(5, 21)],
  ['a list that is longer than its packet', changed(23, 255)],
])('leaves %s to ssh2 at once', (_, bytes) => {
  expect(readOffer(bytes)).toBeUndefined()
})
