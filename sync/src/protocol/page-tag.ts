/**
 * Returns the ETag of the page after `since` while the server is at `head` (both encoded cursors). A device that is up
 * to date can compute the ETag of "no changes" in advance, so an idle pull costs one 304.
 */
export function pageTag(head: string, since: string | undefined, schema: number): string {
  // `since` is client input: encoded, so that the ETag is a valid header even when it is not a cursor.
  return `W/"${schema}.${head}.${encodeURIComponent(since ?? 'none')}"`
}
