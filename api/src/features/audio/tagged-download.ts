import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { TagPicture } from '@fellowship/sound/write/id3'
import type { Part } from '@fellowship/sound/read/bytes'
import { taggedParts } from '@fellowship/sound/write/tags'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { tagMp4Index } from '../../machine/audio/audio-reader.ts'
import { readPart, type OpenBlob } from '../../machine/storage/blob-store.ts'
import type { LiveRecording } from './audio.ts'

/** A recording as it is downloaded: with the library's tag instead of its own ones. */
interface TaggedDownload {
  readonly parts: readonly Part[]
  /** Strong entity tag, in its quotes: another title is another file. */
  readonly tag: string
}

/** The contents of a download's tag. */
interface DownloadTags {
  readonly recording: LiveRecording
  readonly extension: AudioExtension
  /** Shown by players; absent if the built site has no picture. */
  readonly picture: TagPicture | undefined
}

/** Undefined if a recording's structure is not understood; it is then sent unchanged. */
type TagDownload = (file: OpenBlob, tags: DownloadTags) => Promise<TaggedDownload | undefined>

/** Remembers the latest downloads, of which a device asks for many ranges. */
export function downloadTagging(most = 8): TagDownload {
  const latest = new Map<string, Promise<TaggedDownload | undefined>>()
  return (file, tags) => {
    const { sha256, title, speaker, date, scriptureReference } = tags.recording
    const key = JSON.stringify([sha256, file.version, title, speaker, date, scriptureReference])
    const known = latest.get(key) ?? tagged(file, tags)
    latest.delete(key)
    latest.set(key, known)
    known.catch(() => latest.delete(key))
    if (latest.size > most) latest.delete(latest.keys().next().value!)
    return known
  }
}

async function tagged(
  file: OpenBlob,
  { recording, extension, picture }: DownloadTags,
): Promise<TaggedDownload | undefined> {
  const bytes = { size: file.bytes, read: (from: number, length: number) => readPart(file, from, length) }
  const parts = await taggedParts(bytes, extension, {
    teaching: recording,
    picture,
    tagIndex: tagMp4Index,
  })
  if (!parts) return undefined
  const words = createHash('sha256')
  for (const part of parts) if (!('from' in part)) words.update(part)
  return { parts, tag: `"${recording.sha256}-${words.digest('hex').slice(0, 16)}"` }
}

/** The church's picture from the built site. */
export async function tagPicture(webFolder: string): Promise<TagPicture | undefined> {
  const bytes = await readFile(path.join(webFolder, 'icons', 'icon-192.png')).catch(() => undefined)
  return bytes && { mime: 'image/png', bytes: new Uint8Array(bytes) }
}
