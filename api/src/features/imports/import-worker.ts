import { chapterLines } from '@fellowship/schema/chapters/chapters'
import { chaptersOfJson } from '@fellowship/schema/chapters/chapters-json'
import { church } from '@fellowship/schema/church'
import { importLimits as limits } from '@fellowship/schema/imports/imports.limits'
import { importTexts as texts } from '@fellowship/schema/imports/imports.texts'
import { Problem } from '@fellowship/schema/problem'
import type { IncomingTeaching } from '@fellowship/schema/imports/incoming-teaching'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Context } from '../../context.ts'
import { inTransaction } from '../../db/connection.ts'
import { logLoss } from '../../db/log-loss.ts'
import { guestFetch, GuestRefused, type Guest } from '../../machine/guest-fetch.ts'
import { parsedJson } from '../../machine/json.ts'
import { isDiskFull, type StagedFile } from '../../machine/storage/storage.ts'
import { putHandout } from '../handouts/handouts.ts'
import { liveTeachings, type DuplicateOf, type Once } from '../teachings/teachings.ts'
import { importText } from '../transcripts/transcripts.ts'
import { receiveFile, type ArrivedRecording } from '../uploads/uploads.ts'
import { finishSeries } from './finish-series.ts'
import { withHandouts, type TakenHandouts } from './handouts-of-item.ts'
import { followSources } from './imports.ts'
import { SourceRefused } from './incoming.ts'
import {
  beginItem,
  earlierItems,
  findImport,
  finishItem,
  guidsOfTeachings,
  insertOldAddresses,
  lockImport,
  nextImport,
  pendingItems,
  setGuid,
  teachingWithGuid,
  updateImport,
  writeItems,
  type ImportRow,
  type ItemRow,
} from './imports.sql.ts'
import { archivesHere, placeOf, sweepArchives } from './archives.ts'
import { askRecordings, compareItems, factsOf, wordsOf } from './judge.ts'
import { addressesOf } from './old-addresses.ts'
import { openFileIn } from './source-folder.ts'
import { readSource } from './sources.ts'
import { textOfItem, type TextOfItem } from './text-of-item.ts'

/** Looks for work of other processes, and for sources to read again. */
const everyMs = 60_000
/** Recordings that are transferred at once, and how long one may take. */
const atOnce = 4
const recordingMs = 60 * 60_000
/** If the work on an item began more often, the process died each time, perhaps because of the item. */
const mostTries = 6
const weekMs = 7 * 24 * 60 * 60_000

/** Works on imports in the background, as they are confirmed. Returns the function that stops it, and waits for the end. */
export function startImports(context: Context): () => Promise<void> {
  const worker = importWorker(context)
  const run = () =>
    void worker.runAll().catch((error: unknown) => logLoss(context, error, 'an import stopped', 'error'))
  const timer = setInterval(run, everyMs)
  const listening = context.node.listen(
    'imports',
    () => {
      context.changes.announce()
      worker.look()
    },
    run,
  )
  return () => {
    clearInterval(timer)
    void listening.then((stop) => stop()).catch(() => undefined)
    return worker.stop()
  }
}

interface ImportWorker {
  /** Works until no import waits. Does nothing if this or another process is working already. */
  runAll(): Promise<void>
  /** Begins to work, or breaks off if the import was paused or undone. */
  look(): void
  /** Resolves when the work has ended. */
  stop(): Promise<void>
}

export function importWorker(
  context: Context,
  { guest = guestOf(context) }: { guest?: Guest } = {},
): ImportWorker {
  const { sql, node, lifecycle, log } = context
  let isStopped = false
  let work: Promise<void> = Promise.resolve()
  let running: { id: string; control: AbortController } | undefined
  const isOver = () => isStopped || lifecycle.draining

  async function runAll(): Promise<void> {
    if (!isOver()) await node.runAlone('imports', () => (work = workOn()))
  }
  async function workOn(): Promise<void> {
    await followSources(context)
    const next = async () => nextImport(sql, await archivesHere(context))
    for (let job = await next(); job && !isOver(); job = await next()) {
      const control = new AbortController()
      running = { id: job.id, control }
      try {
        if (job.state === 'reading') await readImport(context, job, guest)
        else await writeImport(context, job, guest, control.signal)
      } finally {
        running = undefined
        // Screens of other processes show its progress too.
        await node.tell('imports', job.id).catch(() => undefined)
      }
    }
    await sweepArchives(context)
  }
  const breakOffIfWanted = async () => {
    const current = running
    if (!current) return runAll()
    const row = await findImport(sql, current.id)
    if (row?.state !== 'importing' && row?.state !== 'reading') current.control.abort()
  }
  return {
    runAll,
    look: () =>
      void breakOffIfWanted().catch((error: unknown) =>
        logLoss({ log, lifecycle }, error, 'an import stopped'),
      ),
    stop() {
      isStopped = true
      running?.control.abort()
      return work.catch(() => undefined)
    },
  }
}

/** The product as a guest of other servers: with its name, and an address for questions. */
function guestOf({ config }: Pick<Context, 'config'>): Guest {
  const address = config.publicUrl ?? `mailto:${config.contactEmail ?? church().contactEmail}`
  return guestFetch({
    privateHosts: config.importPrivateHosts,
    userAgent: `Fellowship-Import/1.0 (+${address})`,
  })
}

/** The dry run: reads the source, and judges each item. Nothing is written but the list. */
async function readImport(
  context: Context,
  job: ImportRow & { document: string | null },
  guest: Guest,
): Promise<void> {
  const { sql, clock, log } = context
  try {
    const read = await readSource({ ...job, place: placeOf(context, job) }, job.options, guest)
    const [teachings, guids, earlier] = await Promise.all([
      liveTeachings(sql),
      guidsOfTeachings(sql),
      earlierItems(sql, job.id),
    ])
    const library = {
      teachings,
      guids: new Map(guids.map(({ uid, guid }) => [uid, guid])),
      earlier: new Map(earlier.map(({ guid, ...item }) => [guid, item])),
    }
    const items = await askRecordings(compareItems(read.items, library, job.options), guest)
    const facts = factsOf(items, read, [...new Set(teachings.map(({ speaker }) => speaker))])
    const now = clock.now().getTime()
    await inTransaction(sql, async (tx) => {
      const current = await lockImport(tx, job.id)
      if (current?.state !== 'reading') return
      const rows = items.map((item) => ({
        ...item,
        reason: item.reason.slice(0, limits.reason),
        id: uuidv7(now),
      }))
      await writeItems(tx, job.id, rows)
      // One that follows a source was confirmed when that was chosen.
      const state = job.options.follow && job.followAt ? 'importing' : 'ready'
      await updateImport(tx, job.id, {
        state,
        facts: { ...facts, feeds: read.feeds, wanted: read.series ?? [] },
      })
    })
  } catch (error) {
    const isRefusal = error instanceof SourceRefused || error instanceof GuestRefused
    if (!isRefusal) log.error({ err: error, source: job.source }, 'a source could not be read')
    const failure = isRefusal ? error.message : texts.readFailed
    const finishedAt = clock.now()
    // The old site may be away for a while only.
    const followAt = job.followAt && new Date(finishedAt.getTime() + weekMs)
    await updateImport(sql, job.id, { state: 'failed', failure, finishedAt, followAt })
  }
  context.changes.announce()
}

/** The work on this import is over for now: it was paused, undone, or has to wait. */
class Stopped extends Error {}

type Fetched = ArrivedRecording & { isWhole: boolean; text: TextOfItem; chapters: string }

/** Writes the new items in the order of the source; the recordings of the next ones are transferred meanwhile. */
async function writeImport(
  context: Context,
  job: ImportRow,
  guest: Guest,
  signal: AbortSignal,
): Promise<void> {
  const { sql, clock, changes } = context
  const ahead: { item: ItemRow; fetching: Promise<Fetched | Error> }[] = []
  try {
    for (;;) {
      if (signal.aborted || context.lifecycle.draining) return
      const taken = ahead.map(({ item }) => item.id)
      for (const item of await pendingItems(sql, job.id, atOnce - ahead.length, taken)) {
        const fetching = fetchItem(context, job, item, { guest, signal }).catch((error: Error) => error)
        ahead.push({ item, fetching })
      }
      const first = ahead.shift()
      if (!first) break
      await settleItem(context, job, first.item, { fetched: await first.fetching, signal })
      changes.announce()
    }
    await finishSeries(context, job, guest)
    await inTransaction(sql, async (tx) => {
      const current = await lockImport(tx, job.id)
      if (current?.state !== 'importing') return
      const finishedAt = clock.now()
      const followAt = job.options.follow ? new Date(finishedAt.getTime() + weekMs) : null
      await updateImport(tx, job.id, { state: 'done', failure: null, finishedAt, followAt })
    })
    changes.announce()
  } catch (error) {
    if (error instanceof Stopped || signal.aborted) return
    if (!isDiskFull(error) && !(error instanceof Problem && error.code === 'disk_full')) throw error
    await updateImport(sql, job.id, { state: 'paused', failure: texts.diskFull })
    changes.announce()
  } finally {
    for (const { fetching } of ahead) {
      const fetched = await fetching
      if (!(fetched instanceof Error)) await dropRecording(fetched)
    }
  }
}

/** Idempotent. */
async function dropRecording({ hashing, staged }: Fetched): Promise<void> {
  hashing.abandon()
  await staged.discard()
}

/** The folder or archive of a source, if it is one. */
const folderOf = (context: Context, job: ImportRow): string | undefined =>
  job.kind === 'folder' || job.kind === 'archive' ? placeOf(context, job) : undefined

/** Transfers the recording of an item into the staging area. */
async function fetchItem(
  context: Context,
  job: ImportRow,
  item: ItemRow,
  { guest, signal }: { guest: Guest; signal: AbortSignal },
): Promise<Fetched> {
  const { sql, storage, hashes } = context
  if ((await beginItem(sql, item.id)) > mostTries) throw new SourceRefused(texts.brokenOff)
  let staged: StagedFile = await storage.stage()
  let hashing = hashes.follow(staged.path)
  const drop = async () => {
    hashing.abandon()
    await staged.discard()
  }
  try {
    const sink = {
      async write(chunk: Buffer) {
        await staged.write([chunk])
        hashing.advance(staged.bytes)
      },
      async restart() {
        await drop()
        staged = await storage.stage()
        hashing = hashes.follow(staged.path)
      },
    }
    const { audio } = item.incoming
    const folder = folderOf(context, job)
    const text = await textOfItem(item.incoming.transcript, { folder, guest })
    if (folder !== undefined && !/^https?:/.test(audio)) {
      for await (const chunk of await openFileIn(folder, audio)) {
        if (staged.bytes > maxUploadBytes) throw new SourceRefused(texts.tooLarge)
        await sink.write(chunk as Buffer)
      }
      return { staged, hashing, isWhole: true, text, chapters: '' }
    }
    const limit = { maxBytes: maxUploadBytes, totalMs: recordingMs, signal }
    const { isWhole } = await guest.download(audio, sink, limit)
    const chapters = await fetchChapters(item.incoming, guest)
    return { staged, hashing, isWhole, text, chapters }
  } catch (error) {
    await drop()
    throw error
  }
}

/** The chapters that a feed names; empty if they cannot be read, as the recording is worth more. */
async function fetchChapters({ chapters }: IncomingTeaching, guest: Guest): Promise<string> {
  if (chapters === '') return ''
  try {
    const { bytes } = await guest.read(chapters, { maxBytes: chaptersBytes, totalMs: 20_000 })
    return chapterLines(chaptersOfJson(parsedJson(bytes)))
  } catch {
    return ''
  }
}

const chaptersBytes = 1024 * 1024

/** Publishes an item whose recording has arrived, or notes why it is not published. */
async function settleItem(
  context: Context,
  job: ImportRow,
  item: ItemRow,
  { fetched, signal }: { fetched: Fetched | Error; signal: AbortSignal },
): Promise<void> {
  const { sql } = context
  const { id, guid, incoming } = item
  const text = fetched instanceof Error ? undefined : fetched.text
  const by = { id: job.byId, name: job.byName }
  const onceWith =
    ({ stored, faults }: TakenHandouts): Once =>
    async (tx, write) => {
      if ((await lockImport(tx, job.id))?.state !== 'importing') throw new Stopped()
      // It may have been moved in meanwhile, by its own feed read here.
      const known = await teachingWithGuid(tx, guid)
      if (known !== undefined) throw new AlreadyHere(known)
      const teaching = await write()
      // A file has no identity that subscribers know.
      if (!guid.startsWith('file:')) await setGuid(tx, teaching.uid, guid)
      await insertOldAddresses(tx, addressesOf(incoming, teaching.uid, job.id))
      if (text && 'sentences' in text) await importText(context, tx, teaching, text, by)
      let current = teaching
      for (const handout of stored) current = await putHandout(context, tx, current, { handout, actor: by })
      const reasons = [...(text && 'fault' in text ? [texts.withoutText(text.fault)] : []), ...faults]
      await finishItem(tx, id, {
        outcome: 'imported',
        reason: reasons.join(' ').slice(0, limits.reason),
        teaching: teaching.uid,
      })
      return current
    }
  try {
    if (fetched instanceof Error) throw fetched
    const { isWhole, text: _, chapters, ...recording } = fetched
    const source = { handouts: incoming.handouts, folder: folderOf(context, job), signal }
    await withHandouts(context, source, (taken) =>
      receiveFile(context, recording, {
        create: { ...wordsOf(incoming, job.options), ...(chapters && { chapters }) },
        uid: id,
        once: onceWith(taken),
        by,
        // If its old address has no more of it either, the rest is lost.
        acceptCutOff: isWhole,
      }),
    )
  } catch (error) {
    const same = teachingOf(error)
    if (same !== undefined) {
      await inTransaction(sql, async (tx) => {
        await insertOldAddresses(tx, addressesOf(incoming, same, job.id))
        await finishItem(tx, id, { outcome: 'same', reason: texts.inLibrary, teaching: same })
      })
      return
    }
    const isRefusal =
      error instanceof SourceRefused ||
      error instanceof GuestRefused ||
      (error instanceof Problem && error.code !== 'disk_full')
    if (!isRefusal) throw error
    await finishItem(sql, id, { outcome: 'failed', reason: error.message.slice(0, limits.reason) })
  } finally {
    // A failure of the handouts leaves the recording.
    if (!(fetched instanceof Error)) await dropRecording(fetched)
  }
}

class AlreadyHere extends Error {
  readonly uid: string
  constructor(uid: string) {
    super('This episode is in the library.')
    this.uid = uid
  }
}

/** The uid of the teaching as whose duplicate an item was refused. */
function teachingOf(error: unknown): string | undefined {
  if (error instanceof AlreadyHere) return error.uid
  if (!(error instanceof Problem) || error.code !== 'duplicate') return undefined
  return (error.extra['duplicateOf'] as DuplicateOf | undefined)?.uid
}
