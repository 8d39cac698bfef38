import {
  spokenIndexInSteps,
  type MeantPart,
  type SpokenIndex,
} from '@fellowship/schema/spoken-search/spoken-index'
import { spokenLimits as limits } from '@fellowship/schema/spoken-search/spoken-search.limits'
import {
  searchedText,
  type FoundSentence,
  type SearchedText,
} from '@fellowship/schema/spoken-search/spoken-sentences'
import { decodeWords } from '@fellowship/schema/spoken-search/spoken-words'
import { finish } from '@fellowship/schema/teachings/teaching-search'
import type { AudioDatabase } from '../database/audio-database.ts'
import { afterFailure, dueAt, noBackoff, type Backoff } from '../engine/backoff.ts'
import { fetchSentences } from './spoken-fetch.ts'
import { bytesKey, removeIndex, updateIndex, type UpdateDeps } from './spoken-update.ts'

export interface SpokenDeps extends UpdateDeps {
  audio: AudioDatabase
  now: () => number
  random: () => number
}

/** What this device has of the index. */
export interface SpokenState {
  /** Texts that can be searched. */
  texts: number
  /** Bytes that the whole index costs to fetch; undefined until the server has said it. */
  bytes: number | undefined
}

export interface SpokenFound {
  /** Best first, then the newest. Quoted words may be in another order in them. */
  uids: readonly string[]
  parts: readonly MeantPart[]
}

/** The transcript index of this device: in a worker, so that no page waits for it. */
export interface SpokenDevice {
  /**
   * Brings the index up to date, and the texts of saved recordings; or removes both.
   *
   * @returns when to try again, epoch milliseconds; undefined if nothing is left to do
   */
  update(keep: boolean): Promise<number | undefined>
  state(): Promise<SpokenState>
  /** Builds the index ahead of the first search. */
  prepare(): Promise<void>
  search(query: string): Promise<SpokenFound>
  /**
   * The sentences of a teaching that were found, if its text is stored here; none if the words are not in it as they were
   * asked.
   */
  sentences(uid: string, parts: readonly MeantPart[]): Promise<FoundSentence[] | undefined>
}

export function spokenDevice(deps: SpokenDeps): SpokenDevice {
  const { db, now, random } = deps
  const texts = textCache(deps)
  let built: Promise<SpokenIndex> | undefined
  let backoff: Backoff = noBackoff
  let running: Promise<number | undefined> = Promise.resolve(undefined)

  async function build(): Promise<SpokenIndex> {
    const [pieces, stored] = await Promise.all([db.dictionary.toArray(), db.texts.toArray()])
    stored.sort((a, b) => (a.date === b.date ? (a.uid < b.uid ? 1 : -1) : a.date < b.date ? 1 : -1))
    return finish(
      spokenIndexInSteps(
        pieces.flatMap(({ words }) => decodeWords(words)),
        stored,
      ),
    )
  }

  /** If stored rows are damaged, the index is fetched anew. */
  const index = () =>
    (built ??= build().catch(async (error: unknown) => {
      built = undefined
      if (error instanceof RangeError) await removeIndex(db)
      throw error
    }))

  async function updateOnce(keep: boolean): Promise<number | undefined> {
    if (!keep) {
      await removeIndex(db)
      built = undefined
      return undefined
    }
    // Retry-After of the server, and the wait after failures, hold for a new reason to update too.
    const due = dueAt(backoff, now())
    if (due > now()) return due
    try {
      const { changed, behind } = await updateIndex(deps)
      if (changed) built = undefined
      await texts.storeSaved()
      backoff = behind ? afterFailure(backoff, undefined, now(), random()) : noBackoff
    } catch (error) {
      built = undefined
      backoff = afterFailure(backoff, error, now(), random())
    }
    return backoff === noBackoff ? undefined : dueAt(backoff, now())
  }

  return {
    update: (keep) => (running = running.catch(() => undefined).then(() => updateOnce(keep))),
    state: async () => ({
      texts: await db.texts.count(),
      bytes: (await db.state.get(bytesKey))?.value as number | undefined,
    }),
    prepare: async () => {
      const made = await index()
      // Code that has never run is several times slower, which the first keystrokes would feel.
      for (const query of tryouts) made.search(query)
    },
    search: async (query) => (await index()).search(query),
    async sentences(uid, parts) {
      const text = await texts.read(uid)
      return text?.find(parts, limits.sentences)
    },
  }
}

/** A prefix, several words, a quotation and a misspelt word. */
const tryouts = ['the', 'grace and', '"in the', 'graecx', 'forgivnesx of']

/** Folded texts of the last results, for the next keystroke. */
const textsKept = 24

function textCache({ db, app, audio, transport }: SpokenDeps) {
  const folded = new Map<string, { rev: number; text: SearchedText }>()

  async function wantedRev(uid: string): Promise<number | undefined> {
    return (await app.teachings.get(uid))?.transcriptRev ?? undefined
  }

  return {
    /** The stored text of a teaching, folded. */
    async read(uid: string): Promise<SearchedText | undefined> {
      const rev = await wantedRev(uid)
      if (rev === undefined) return undefined
      const known = folded.get(uid)
      if (known?.rev === rev) return known.text
      const stored = await db.sentences.get(uid)
      if (stored?.rev !== rev) return undefined
      const text = searchedText(stored.sentences)
      folded.delete(uid)
      folded.set(uid, { rev, text })
      if (folded.size > textsKept) folded.delete(folded.keys().next().value!)
      return text
    },
    /** Stores the texts of the saved recordings, so that their sentences are found without a connection. */
    async storeSaved(): Promise<void> {
      const recordings = await audio.recordings.filter(({ state }) => state === 'ready').toArray()
      const saved = new Set(recordings.map(({ teachingUid }) => teachingUid))
      const stored = await db.sentences.toCollection().primaryKeys()
      await db.sentences.bulkDelete(stored.filter((uid) => !saved.has(uid)))
      for (const uid of saved) {
        const rev = await wantedRev(uid)
        if (rev === undefined || (await db.sentences.get(uid))?.rev === rev) continue
        const fetched = await fetchSentences(transport, uid)
        if (fetched.rev === rev) await db.sentences.put({ uid, ...fetched })
      }
    },
  }
}
