import { createHash } from 'node:crypto'

/** The UUID namespace that the podcast namespace defines for guids. */
const namespace = 'ead4c236-bf58-58c6-a2c6-a6b28d128cb6'

/** The podcast guid of a feed address: UUIDv5 of the address without scheme and trailing slashes. */
export function podcastGuid(feedAddress: string): string {
  const name = feedAddress.replace(/^[a-z]+:\/\//i, '').replace(/\/+$/, '')
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  const bytes = hash.subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
