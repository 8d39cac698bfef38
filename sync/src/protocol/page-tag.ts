/**
 * The entity tag of an answer to `since` while the server stands at `head` (both encoded cursors). A device that
 * holds everything up to K can name the tag of "nothing new since K" beforehand, so an idle pull is one 304.
 */
export function pageTag(head: string, since: string | undefined, schema: number): string {
  // Of what is no cursor the tag has to be a header all the same.
  return `W/"${schema}.${head}.${encodeURIComponent(since ?? 'none')}"`
}
