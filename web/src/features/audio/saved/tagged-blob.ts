import { audioExtensions } from '@fellowship/schema/uploads/uploads.limits'
import { blobBytes } from '@fellowship/sound/read/bytes'
import type { TaggedTeaching } from '@fellowship/sound/write/id3'
import { taggedParts } from '@fellowship/sound/write/tags'

/** A recording with a tag of what the library says of it, in place of those it has; as it is, where it is built otherwise. */
export async function taggedBlob(blob: Blob, extension: string, teaching: TaggedTeaching): Promise<Blob> {
  const kind = audioExtensions.find((each) => each === extension)
  const parts = kind && (await taggedParts(blobBytes(blob), kind, { teaching }))
  return parts
    ? new Blob(parts.map((part) => ('from' in part ? blob.slice(part.from, part.to) : part)))
    : blob
}
