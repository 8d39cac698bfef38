import { describe, expect, test } from 'vitest'
import { nameRewriter } from './ssh-names.ts'

const uint32 = (value: number) =>
  Buffer.from([value >>> 24, value >>> 16, value >>> 8, value].map((byte) => byte & 255))
const string = (bytes: Buffer) => Buffer.concat([uint32(bytes.length), bytes])
const packet = (type: number, ...parts: Buffer[]) => {
  const content = Buffer.concat([Buffer.from([type]), uint32(7), ...parts])
  return Buffer.concat([uint32(content.length), content])
}
const latin1 = (text: string) => string(Buffer.from(text, 'latin1'))
const utf8 = (text: string) => string(Buffer.from(text))
const attributes = Buffer.from('0000000dff80fe0100000000000081a4', 'hex')

const open = packet(3, latin1('/Ren\u00e9e.mp3'), uint32(26), attributes)
const opened = packet(3, utf8('/Renée.mp3'), uint32(26), attributes)
const write = packet(6, string(Buffer.from('h')), Buffer.alloc(8), string(Buffer.from([0xe9, 0x80, 0xff])))
const rename = packet(18, latin1('/Ren\u00e9e'), utf8('/Zoë'))
const renamed = packet(18, utf8('/Renée'), utf8('/Zoë'))

describe('names in SFTP packets', () => {
  test.each([
    ['a name in UTF-8', opened, opened],
    ['a name in Windows-1252', open, opened],
    ['an opening quote of Windows-1252', packet(17, string(Buffer.from([0x93]))), packet(17, utf8('“'))],
    ['two names of different encodings', rename, renamed],
    ['the bytes of a file', write, write],
    [
      'a name that is longer than its packet',
      packet(17, uint32(99), Buffer.from([0xe9])),
      packet(17, uint32(99), Buffer.from([0xe9])),
    ],
  ])('%s', (_, sent, received) => {
    expect(Buffer.concat(nameRewriter()(sent)).toString('hex')).toBe(received.toString('hex'))
  })

  test.each([1, 2, 3, 5, 8, 13, 1000])('are rewritten in pieces of %d bytes', (size) => {
    const all = Buffer.concat([open, write, rename, write, open])
    const rewriter = nameRewriter()
    const out: Buffer[] = []
    for (let at = 0; at < all.length; at += size) out.push(...rewriter(all.subarray(at, at + size)))
    const received = Buffer.concat([opened, write, renamed, write, opened])
    expect(Buffer.concat(out).toString('hex')).toBe(received.toString('hex'))
  })
})
