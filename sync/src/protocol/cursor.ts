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

/**
 * Returns the ETag of the page after `since` while the server is at `head` (both encoded cursors). A device that is up
 * to date can compute the ETag of "no changes" in advance, so an idle pull costs one 304.
 */
export function pageTag(head: string, since: string | undefined, schema: number): string {
  // `since` is client input: encoded, so that the ETag is a valid header even when it is not a cursor.
  return `W/"${schema}.${head}.${encodeURIComponent(since ?? 'none')}"`
}
