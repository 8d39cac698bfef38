/** A device's position in the feed: it has everything up to `rev` of `epoch`. Clients treat the text as opaque. */
export interface Cursor {
  epoch: string
  rev: number
}

const version = 1

/** Encodes a cursor as '1.<rev>.<epoch>': letters, digits, dots and hyphens only. */
export const encodeCursor = ({ epoch, rev }: Cursor): string => `${version}.${rev}.${epoch}`

/** Decodes a cursor; undefined for invalid text or another version, which the server answers with a snapshot. */
export function decodeCursor(text: string | undefined): Cursor | undefined {
  const match = /^1\.(\d{1,15})\.([0-9a-f-]{36})$/.exec(text ?? '')
  return match ? { rev: Number(match[1]), epoch: match[2]! } : undefined
}
