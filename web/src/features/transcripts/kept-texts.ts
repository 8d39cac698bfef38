import { readCaptions } from '@fellowship/schema/transcripts/caption-file'
import { transcriptAddress } from '@fellowship/schema/transcripts/transcript-address'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { watch } from '@fellowship/sync/client/engine/live'
import { readRecordings } from '@fellowship/sync/client/saved-audio/audio-store'
import { listen } from '../../lib/listen.ts'

/** A teaching with an approved text. */
export interface TeachingText {
  readonly uid: string
  /** The revision of the text; null without one. */
  readonly transcriptRev: number | null
}

const cacheName = 'texts'

/**
 * The sentences of a teaching's approved text: of this revision from the cache, else from the server, which fills the cache. An
 * older one that is cached is better than none while offline.
 *
 * @throws if there is neither
 */
export async function readText({ uid, transcriptRev }: TeachingText): Promise<Sentence[]> {
  const address = transcriptAddress(uid)
  const cache = await openCache()
  const own = `${address}?rev=${transcriptRev}`
  const kept = await sentencesOf(await cache?.match(own))
  if (kept) return kept
  try {
    const response = await fetch(own)
    if (!response.ok) throw new Error(`${response.status}`)
    const copy = cache && response.clone()
    // A portal answers with a page of its own: nothing is cached before it is read.
    const sentences = await sentencesOf(response)
    if (!sentences) throw new Error('no text')
    if (cache && copy) {
      await cache.delete(address, { ignoreSearch: true })
      await cache.put(own, copy).catch(() => undefined)
    }
    return sentences
  } catch (error) {
    const older = await sentencesOf(await cache?.match(address, { ignoreSearch: true }))
    if (older) return older
    throw error
  }
}

/**
 * Caches the texts of saved recordings for use offline, also those that are approved or corrected after their recording was saved.
 * Goes on for as long as the page is open.
 */
export function keepTexts(): void {
  const kept = new Set<string>()
  let wanted: readonly TeachingText[] = []
  let work = Promise.resolve()
  const keep = async () => {
    for (const teaching of wanted) {
      const text = `${teaching.uid} ${teaching.transcriptRev}`
      if (typeof teaching.transcriptRev !== 'number' || kept.has(text)) continue
      await readText(teaching).then(
        () => kept.add(text),
        () => undefined,
      )
    }
  }
  const renew = () => void (work = work.then(keep))
  const take = (found: readonly TeachingText[]) => {
    wanted = found
    renew()
  }
  watch(rowsOfSaved, take, () => undefined)
  listen(window, ['online'], renew)
}

async function rowsOfSaved(): Promise<TeachingText[]> {
  const uids = [...new Set((await readRecordings()).map(({ teachingUid }) => teachingUid))]
  return (await appDatabase().teachings.bulkGet(uids)).filter((row) => row !== undefined)
}

async function sentencesOf(response: Response | undefined): Promise<Sentence[] | undefined> {
  const text = await response?.text().catch(() => undefined)
  if (text === undefined || !text.startsWith('WEBVTT')) return undefined
  const read = readCaptions(text)
  return 'fault' in read ? undefined : read.sentences
}

/** Undefined if the browser blocks storage, or outside a secure context. */
const openCache = async (): Promise<Cache | undefined> =>
  (globalThis.caches as CacheStorage | undefined)?.open(cacheName).catch(() => undefined)
