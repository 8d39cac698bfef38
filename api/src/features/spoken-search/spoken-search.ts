import { setImmediate } from 'node:timers/promises'
import type { MeantPart, SpokenIndex } from '@fellowship/schema/spoken-search/spoken-index'
import { spokenIndexInSteps } from '@fellowship/schema/spoken-search/spoken-index'
import { spokenLimits as limits } from '@fellowship/schema/spoken-search/spoken-search.limits'
import type {
  DictionaryState,
  Said,
  SaidAnswer,
  SaidSentences,
  SpokenDictionary,
  SpokenList,
  SpokenPack,
} from '@fellowship/schema/spoken-search/spoken-search.schema'
import { searchedText } from '@fellowship/schema/spoken-search/spoken-sentences'
import { decodeWords } from '@fellowship/schema/spoken-search/spoken-words'
import type { Context } from '../../context.ts'
import { keptByRevision } from '../../db/kept-by-revision.ts'
import { keptJson, type KeptJson } from '../../http/deliver.ts'
import { onceMade } from '../../machine/caches.ts'
import {
  indexedTexts,
  indexedWords,
  readDictionary,
  sentencesOf,
  type StoredPiece,
} from './spoken-search.sql.ts'
import { contentIdOf, updateIndex } from './update-index.ts'

/** The index at one state of the approved texts. */
export interface SpokenLibrary {
  readonly list: KeptJson
  /** Undefined if there is no pack with this id any more. */
  pack(id: string): KeptJson | undefined
  /** The dictionary from a piece on; undefined if it has another id by now. */
  dictionary(id: string, from: number): KeptJson | undefined
  /** The approved text of a teaching; undefined without one. */
  sentences(uid: string): Promise<KeptJson | undefined>
  /** The teachings in which it was said, best first; quoted words may be in another order than asked. */
  uids(query: string): Promise<readonly string[]>
  /** The same with the sentences, and with quoted words as they were asked. */
  said(query: string): Promise<SaidAnswer>
}

type SpokenContext = Pick<Context, 'sql' | 'changes' | 'locks'>

/** The index at the present revision: before it is read, the texts approved meanwhile are added to it. */
export function spokenLibrary(context: SpokenContext): () => Promise<SpokenLibrary> {
  const { sql } = context
  let made: { state: string; library: SpokenLibrary; packs: ReadonlyMap<string, KeptJson> } | undefined
  return keptByRevision(context, async () => {
    await updateIndex(context)
    const [texts, pieces] = await Promise.all([indexedTexts(sql), readDictionary(sql)])
    const state = contentIdOf(JSON.stringify([pieces.at(-1)?.id, texts.map(Object.values)]))
    // Most revisions change no text.
    if (made?.state !== state) made = { state, ...(await makeLibrary(context, pieces, made?.packs)) }
    return made.library
  })
}

async function makeLibrary(
  { sql }: SpokenContext,
  pieces: readonly StoredPiece[],
  before: ReadonlyMap<string, KeptJson> = new Map(),
) {
  const rows = await indexedWords(sql)
  const texts = rows.map(({ teaching, rev, numbers, own }) => ({ uid: teaching, rev, numbers, own }))
  const dictionary: DictionaryState = { id: pieces.at(-1)?.id ?? '', pieces: pieces.length }
  const packs = new Map<string, KeptJson>()
  const packOf = (included: SpokenPack['texts']): string => {
    const pack: SpokenPack = { dictionary, texts: included }
    const id = contentIdOf(JSON.stringify(pack))
    packs.set(id, before.get(id) ?? keptJson(pack))
    return id
  }
  const years = [...new Set(rows.map(({ year }) => year))].map((year) => ({
    year,
    id: packOf(texts.filter((_, at) => rows[at]!.year === year)),
  }))
  const yearPacks = [...packs.values()]
  const recent = texts
    .toSorted((a, b) => b.rev - a.rev)
    .slice(0, limits.recent)
    .map((text) => ({ uid: text.uid, rev: text.rev, id: packOf([text]) }))
  const dictionaryFrom = (from: number) => {
    const answer: SpokenDictionary = {
      id: dictionary.id,
      from,
      pieces: pieces.slice(from).map(({ words }) => words),
    }
    return keptJson(answer)
  }
  const whole = onceMade(() => dictionaryFrom(0))
  const compressed = await Promise.all(
    [...yearPacks, ...(pieces.length > 0 ? [whole()] : [])].map((part) => part.brotli()),
  )
  const bytes = compressed.reduce((sum, { length }) => sum + length, 0)
  const list: SpokenList = { dictionary, texts: texts.length, bytes, years, recent }
  const index = onceMade(() =>
    inTurns(
      spokenIndexInSteps(
        pieces.flatMap(({ words }) => decodeWords(words)),
        texts,
      ),
    ),
  )
  const library: SpokenLibrary = {
    list: keptJson(list),
    pack: (id) => packs.get(id),
    dictionary: (id, from) =>
      id === '' || id !== dictionary.id || from >= pieces.length
        ? undefined
        : from === 0
          ? whole()
          : dictionaryFrom(from),
    sentences: async (uid) => {
      const rev = texts.find((text) => text.uid === uid)?.rev
      const found = (await sentencesOf(sql, [uid])).get(uid)
      if (rev === undefined || !found) return undefined
      const answer: SaidSentences = { rev, sentences: found.map(({ start, text }) => ({ start, text })) }
      return keptJson(answer, { best: false })
    },
    uids: async (query) => (await index()).search(query).uids,
    said: async (query) => findSaid(await index(), query, (uids) => sentencesOf(sql, uids)),
  }
  return { library, packs }
}

/** Texts that are read for one search: those with a word each of a quotation may not have its words in a row. */
const mostRead = 60

async function findSaid(
  index: SpokenIndex,
  query: string,
  read: (uids: readonly string[]) => ReturnType<typeof sentencesOf>,
): Promise<SaidAnswer> {
  const { uids, parts } = index.search(query)
  const found: Said[] = []
  let examined = 0
  while (found.length < limits.found && examined < Math.min(uids.length, mostRead)) {
    const next = uids.slice(examined, examined + limits.found)
    examined += next.length
    found.push(...saidIn(next, await read(next), parts))
  }
  const rest = isQuoted(parts) ? 0 : uids.length - examined
  return { total: found.length + rest, teachings: found.slice(0, limits.found) }
}

const isQuoted = (parts: readonly MeantPart[]) => parts.some((part) => part.length > 1)

function saidIn(
  uids: readonly string[],
  texts: Awaited<ReturnType<typeof sentencesOf>>,
  parts: readonly MeantPart[],
): Said[] {
  return uids.flatMap((uid) => {
    const sentences = searchedText(texts.get(uid) ?? []).find(parts, limits.sentences)
    return sentences.length > 0 ? [{ uid, sentences }] : []
  })
}

/** Runs the steps with turns of the event loop between them, so that other requests are answered meanwhile. */
async function inTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await setImmediate()
  }
}
