/**
 * The entity tag of an answer to `since` while the server stands at `head` (both encoded cursors). A device that
 * holds everything up to K can name the tag of "nothing new since K" beforehand, so an idle pull is one 304.
 */
export function pageTag(head: string, since: string | undefined, schema: number): string {
  return `W/"${schema}.${head}.${since ?? 'none'}"`
}
