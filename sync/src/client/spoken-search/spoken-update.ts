import { spokenLimits as limits } from '@fellowship/schema/spoken-search/spoken-search.limits'
import type {
  PackedText,
  SpokenList,
  SpokenPack,
} from '@fellowship/schema/spoken-search/spoken-search.schema'
import { decodeWords } from '@fellowship/schema/spoken-search/spoken-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Transport } from '../../call/call.ts'
import type { AppDatabase } from '../database/app-database.ts'
import type { SpokenDatabase, SpokenText } from '../database/spoken-database.ts'
import { readSyncState } from '../replica/sync-state.ts'
import { assertReadable, fetchList, fetchPack, fetchPieces } from './spoken-fetch.ts'

export interface UpdateDeps {
  db: SpokenDatabase
  app: AppDatabase
  transport: Transport
}

/** A teaching of the replica that has an approved text. */
type Wanted = Pick<Teaching, 'uid' | 'id' | 'date' | 'year'> & { rev: number }

/** Names in the state: the bytes that the whole index costs to fetch, and the cursor of the replica that it has all texts of. */
export const bytesKey = 'bytes'
const cursorKey = 'cursor'

/**
 * Brings the index of this device to the texts of its replica: removes those that are withdrawn, and then fetches the others,
 * each alone if it is one of the newest, else with the texts of its year.
 *
 * @returns whether the index changed, and whether the server lacks a text that the replica names
 * @throws CallError, NetworkError, DamagedAnswer; what was stored before stays
 */
export async function updateIndex(deps: UpdateDeps): Promise<{ changed: boolean; behind: boolean }> {
  const { db, app, transport } = deps
  const { cursor } = await readSyncState(app)
  // Before the first pull nothing is known to be withdrawn.
  if (cursor === undefined || (await db.state.get(cursorKey))?.value === cursor)
    return { changed: false, behind: false }
  const wanted = await wantedTexts(app)
  const removed = await removeOthers(db, wanted)
  const done = () => db.state.put({ key: cursorKey, value: cursor })
  const missing = await missingTexts(db, wanted)
  if (missing.size === 0) {
    await done()
    return { changed: removed, behind: false }
  }
  const list = await fetchList(transport)
  await db.state.put({ key: bytesKey, value: list.bytes })
  for (const id of packsFor(missing, list)) {
    const pack = await fetchPack(transport, id)
    await bringDictionary(deps, pack)
    await store(db, pack, wanted)
  }
  const behind = (await missingTexts(db, wanted)).size > 0
  if (!behind) await done()
  return { changed: true, behind }
}

/** Removes the index from this device. */
export async function removeIndex(db: SpokenDatabase): Promise<void> {
  await db.transaction('rw', db.tables, () => Promise.all(db.tables.map((table) => table.clear())))
}

/** The teachings of the replica with an approved text, by uid. In batches, as another tab may wait for the database. */
async function wantedTexts(app: AppDatabase): Promise<ReadonlyMap<string, Wanted>> {
  const wanted = new Map<string, Wanted>()
  for (let last = '', batch: Teaching[]; ;) {
    batch = await app.teachings.where('uid').above(last).limit(batchRows).toArray()
    for (const { uid, id, date, year, transcriptRev: rev } of batch)
      if (typeof rev === 'number') wanted.set(uid, { uid, id, date, year, rev })
    last = batch.at(-1)?.uid ?? last
    if (batch.length < batchRows) return wanted
  }
}

const batchRows = 500

/** Deletes withdrawn texts, and corrects dates. */
async function removeOthers(db: SpokenDatabase, wanted: ReadonlyMap<string, Wanted>): Promise<boolean> {
  return db.transaction('rw', db.texts, db.sentences, async () => {
    const isWanted = ({ uid, rev }: { uid: string; rev: number }) => wanted.get(uid)?.rev === rev
    const texts = await db.texts.toArray()
    const sentences = await db.sentences.toArray()
    const gone = texts.filter((text) => !isWanted(text))
    const moved = texts.filter((text) => isWanted(text) && wanted.get(text.uid)!.date !== text.date)
    await db.texts.bulkDelete(gone.map(({ uid }) => uid))
    await db.texts.bulkPut(moved.map((text) => ({ ...text, date: wanted.get(text.uid)!.date })))
    await db.sentences.bulkDelete(sentences.filter((each) => !isWanted(each)).map(({ uid }) => uid))
    return gone.length + moved.length > 0
  })
}

async function missingTexts(
  db: SpokenDatabase,
  wanted: ReadonlyMap<string, Wanted>,
): Promise<Map<string, Wanted>> {
  const known = new Set(await db.texts.toCollection().primaryKeys())
  return new Map([...wanted].filter(([uid]) => !known.has(uid)))
}

/** The packs that have the missing texts, the newest year first. */
function packsFor(missing: ReadonlyMap<string, Wanted>, { recent, years }: SpokenList): string[] {
  const alone = new Map(recent.map((each) => [each.uid, each]))
  const isAlone = ({ uid, rev }: Wanted) => alone.get(uid)?.rev === rev
  return years.flatMap(({ year, id }) => {
    const ofYear = [...missing.values()].filter((each) => each.year === year)
    return ofYear.every(isAlone) ? ofYear.map(({ uid }) => alone.get(uid)!.id) : [id]
  })
}

/**
 * Stores the pieces of the dictionary that a pack needs. If the server has another dictionary, as after its index was made
 * anew, the texts of the former one are removed; the next update fetches them again.
 */
async function bringDictionary({ db, transport }: UpdateDeps, { dictionary }: SpokenPack): Promise<void> {
  const known = await db.dictionary.toArray()
  const pieces = await fetchPieces(transport, dictionary, known)
  if (pieces) {
    await db.dictionary.bulkPut(pieces)
    return
  }
  const anew = (await fetchPieces(transport, dictionary, [])) ?? []
  await db.transaction('rw', db.texts, db.dictionary, async () => {
    await db.texts.clear()
    await db.dictionary.clear()
    await db.dictionary.bulkPut(anew)
  })
}

/** Stores the wanted texts of a pack, as far as there is room in the budget. */
async function store(
  db: SpokenDatabase,
  pack: SpokenPack,
  wanted: ReadonlyMap<string, Wanted>,
): Promise<void> {
  const words = (await db.dictionary.toArray()).flatMap((piece) => decodeWords(piece.words)).length
  assertReadable(pack, words)
  await db.transaction('rw', db.texts, async () => {
    let bytes = 0
    await db.texts.each((text) => (bytes += sizeOf(text)))
    const texts: SpokenText[] = []
    for (const text of pack.texts) {
      const { rev, date } = wanted.get(text.uid) ?? {}
      if (date === undefined || rev !== text.rev) continue
      bytes += sizeOf(text)
      if (bytes > limits.storedBytes) break
      texts.push({ ...text, date })
    }
    await db.texts.bulkPut(texts)
  })
}

const sizeOf = ({ numbers, own }: PackedText) => numbers.length + own.length
