import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { id3Tag, tagBytes, tagEnds, type TagPicture } from '@fellowship/schema/audio/id3'
import type { Framed } from '../../http/send-file.ts'
import { readPart, type ShelvedFile } from '../../machine/storage/shelf.ts'
import type { LiveRecording } from './audio.ts'

/** An MP3 as it is downloaded: with a tag of what the library knows in place of those it has. */
export interface TaggedDownload {
  readonly framed: Framed
  /** Strong entity tag, in its quotes: another title is another file. */
  readonly tag: string
}

/** @param picture shown by players; none where the built site has none */
export async function taggedDownload(
  file: ShelvedFile,
  recording: LiveRecording,
  picture: TagPicture | undefined,
): Promise<TaggedDownload> {
  const size = file.bytes
  const first = await readPart(file, 0, tagEnds.first)
  const last = await readPart(file, Math.max(0, size - tagEnds.last), tagEnds.last)
  const { before, behind } = tagBytes(first, last, size)
  const head = id3Tag(recording, picture)
  const words = createHash('sha256').update(head).digest('hex').slice(0, 16)
  return { framed: { head, from: before, to: size - behind }, tag: `"${recording.sha256}-${words}"` }
}

/** The church's picture from the built site. */
export async function tagPicture(webFolder: string): Promise<TagPicture | undefined> {
  const bytes = await readFile(path.join(webFolder, 'icons', 'icon-192.png')).catch(() => undefined)
  return bytes && { mime: 'image/png', bytes: new Uint8Array(bytes) }
}
