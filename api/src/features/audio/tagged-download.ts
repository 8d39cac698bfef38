import { createHash } from 'node:crypto'
import type { TagPicture } from '@fellowship/sound/write/id3'
import type { Part } from '@fellowship/sound/read/bytes'
import { taggedParts } from '@fellowship/sound/write/tags'
import { Problem } from '@fellowship/schema/problem'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { tagMp4Index } from '../../machine/audio/audio-reader.ts'
import { keyLock } from '../../machine/concurrency.ts'
import { JobStopped } from '../../machine/worker-pool.ts'
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
  /** Shown by players. */
  readonly picture: TagPicture | undefined
}

export interface DownloadTagging {
  /**
   * Runs `work` with the recording as it is downloaded; undefined if its structure is not understood, so that it is sent
   * unchanged. Concurrent downloads of one recording share it.
   *
   * @param gone ends the tagging if no other download waits for it
   * @throws Problem `unavailable` if too many wait, JobStopped once `gone`
   */
  use<T>(
    file: OpenBlob,
    tags: DownloadTags,
    gone: AbortSignal,
    work: (tagged: TaggedDownload | undefined) => Promise<T>,
  ): Promise<T>
}

interface Entry {
  readonly tagged: Promise<TaggedDownload | undefined>
  readonly ending: AbortController
  users: number
  /** In memory; 0 while it is made. */
  bytes: number
}

/** An index of ten hours has 8 MB, and that of an hour one. */
const defaults = { mostBytes: 8 * 2 ** 20, mostWaiting: 16 }

/** Downloads in use, and the latest ones, of which a device asks for many ranges. */
export function downloadTagging(limits: Partial<typeof defaults> = {}): DownloadTagging {
  const { mostBytes, mostWaiting } = { ...defaults, ...limits }
  /** In the order of their use. */
  const entries = new Map<string, Entry>()
  const alone = keyLock()
  let waiting = 0

  return {
    async use(file, tags, gone, work) {
      const { sha256, title, speaker, date, scriptureReference, chapters } = tags.recording
      const key = JSON.stringify([sha256, file.version, title, speaker, date, scriptureReference, chapters])
      const entry = entries.get(key) ?? begin(key, file, tags)
      entries.delete(key)
      entries.set(key, entry)
      entry.users += 1
      let left = false
      const leave = () => {
        if (left) return
        left = true
        entry.users -= 1
        if (entry.users === 0 && entry.bytes === 0) entry.ending.abort()
        removeUnused()
      }
      gone.addEventListener('abort', leave, { once: true })
      try {
        return await work(await entry.tagged)
      } finally {
        gone.removeEventListener('abort', leave)
        leave()
      }
    },
  }

  function begin(key: string, file: OpenBlob, tags: DownloadTags): Entry {
    if (waiting >= mostWaiting) throw new Problem('unavailable', tooMany, { retryAfter: 10 })
    ifRoom()
    const ending = new AbortController()
    waiting += 1
    // One at a time: each has its index in memory twice.
    const made = alone('', async () => {
      if (ending.signal.aborted) throw new JobStopped('caller gone')
      // Those before it have been counted only now.
      ifRoom()
      return tagged(file, tags, ending.signal)
    }).finally(() => (waiting -= 1))
    const entry: Entry = { tagged: made, ending, users: 0, bytes: 0 }
    const forget = () => void (entries.get(key) === entry && entries.delete(key))
    ending.signal.addEventListener('abort', forget)
    made.then((found) => {
      entry.bytes =
        1 + (found?.parts ?? []).reduce((sum, part) => sum + ('from' in part ? 0 : part.length), 0)
      removeUnused()
    }, forget)
    return entry
  }

  function ifRoom(): void {
    if (bytesOf(({ users }) => users > 0) >= mostBytes)
      throw new Problem('unavailable', tooMany, { retryAfter: 10 })
  }

  function bytesOf(which: (entry: Entry) => boolean): number {
    let sum = 0
    for (const entry of entries.values()) if (which(entry)) sum += entry.bytes
    return sum
  }

  function removeUnused(): void {
    let left = bytesOf(() => true) - mostBytes
    for (const [key, entry] of entries) {
      if (left <= 0) return
      if (entry.users > 0) continue
      entries.delete(key)
      left -= entry.bytes
    }
  }
}

const tooMany = 'Too many recordings are being prepared for download. Please try again in a few seconds.'

async function tagged(
  file: OpenBlob,
  { recording, extension, picture }: DownloadTags,
  gone: AbortSignal,
): Promise<TaggedDownload | undefined> {
  const bytes = { size: file.bytes, read: (from: number, length: number) => readPart(file, from, length) }
  const parts = await taggedParts(bytes, extension, {
    teaching: recording,
    picture,
    tagIndex: (job) => tagMp4Index(job, gone),
  })
  if (!parts) return undefined
  const words = createHash('sha256')
  for (const part of parts) if (!('from' in part)) words.update(part)
  return { parts, tag: `"${recording.sha256}-${words.digest('hex').slice(0, 16)}"` }
}

/** The church's icon; undefined if it cannot be drawn now, and the download goes without it. */
export const tagPicture =
  (imageOf: (address: string) => Promise<Uint8Array>) => async (): Promise<TagPicture | undefined> => {
    const bytes = await imageOf('/icons/icon-192.png').catch(() => undefined)
    return bytes && { mime: 'image/png', bytes: new Uint8Array(bytes) }
  }
