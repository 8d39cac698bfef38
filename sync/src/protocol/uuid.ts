import { randomBytes } from '@noble/hashes/utils.js'

/** Generates a UUID version 7 (RFC 9562), which sorts by creation time; `now` in epoch milliseconds. */
export function uuidv7(now: number): string {
  const bytes = randomBytes(16)
  for (let at = 0; at < 6; at += 1) bytes[at] = Math.floor(now / 2 ** (8 * (5 - at))) & 0xff
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
