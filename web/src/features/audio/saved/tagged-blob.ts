import type { TaggedTeaching } from '@fellowship/schema/audio/id3'
import { taggedParts } from '@fellowship/schema/audio/tagged-parts'
import { audioExtensions } from '@fellowship/schema/uploads/uploads.limits'

/** A recording with a tag of what the library says of it, in place of those it has; as it is, where it is built otherwise. */
export async function taggedBlob(blob: Blob, extension: string, teaching: TaggedTeaching): Promise<Blob> {
  const read = async (from: number, length: number) =>
    new Uint8Array(await blob.slice(from, from + length).arrayBuffer())
  const kind = audioExtensions.find((each) => each === extension)
  const parts = kind && (await taggedParts({ size: blob.size, read }, kind, { teaching }))
  return parts
    ? new Blob(parts.map((part) => ('from' in part ? blob.slice(part.from, part.to) : part)))
    : blob
}
