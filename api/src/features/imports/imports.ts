import {
  importFacts,
  importOptions,
  type ImportCounts,
  type ImportAnswers,
  type ImportReport,
  type ImportSummary,
} from '@fellowship/schema/imports/imports.contract'
import { importLimits as limits } from '@fellowship/schema/imports/imports.limits'
import { importTexts as texts } from '@fellowship/schema/imports/imports.texts'
import { Problem } from '@fellowship/schema/problem'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Context } from '../../context.ts'
import { writeAudit, type AuditActor } from '../../db/audit-log.ts'
import { inTransaction, type Transaction } from '../../db/connection.ts'
import { changeRows } from '../../db/synced-rows.ts'
import {
  binSeriesOf,
  binTeachings,
  countItems,
  deleteImport,
  deleteOldAddresses,
  dueImport,
  findImport,
  forgetImports,
  importItems,
  importsIn,
  insertImport,
  insertOldAddresses,
  latestImports,
  lockImport,
  podcastIdentity,
  setPodcastIdentity,
  undoItems,
  updateImport,
  updateVerdicts,
  type ImportCountRow,
  type ImportRow,
} from './imports.sql.ts'
import { wordsOf } from './judge.ts'
import { addressesOf, oldAddressOf } from './old-addresses.ts'
import type { Source } from './sources.ts'

export { oldAddresses } from './old-addresses.ts'

/** The parts that a command has too while the product runs. */
type Deps = Pick<Context, 'sql' | 'clock'> & { node: Pick<Context['node'], 'tell'> }

/**
 * Begins the dry run of a source.
 *
 * @param id a new one, by which an archive is kept already
 * @returns its id
 * @throws Problem `duplicate` if another import is on its way
 */
export async function createImport(
  { sql, clock, node }: Deps,
  source: Source,
  options: ImportAnswers,
  by: AuditActor,
  id = uuidv7(clock.now().getTime()),
): Promise<{ id: string }> {
  const now = clock.now()
  await inTransaction(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('imports', 1))`
    if ((await importsIn(tx, ['reading', 'importing', 'paused'])).length > 0)
      throw new Problem('duplicate', texts.busy)
    // A dry run that was not confirmed is only a list.
    for (const { id: unconfirmed } of await importsIn(tx, ['ready'])) await deleteImport(tx, unconfirmed)
    await forgetImports(tx, limits.listed, new Date(now.getTime() - limits.undoDays * dayMs))
    await insertImport(tx, { id, ...source, options, byId: by.id, byName: by.name, beganAt: now })
    await node.tell('imports', id, tx)
  })
  return { id }
}

/** Reads a source again that is followed, in an import of its own. Does nothing while another one is on its way. */
export async function followSources({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  const now = clock.now()
  await inTransaction(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('imports', 1))`
    const due = await dueImport(tx, now)
    if (!due) return
    const { kind, source, options, byId, byName } = due
    const id = uuidv7(now.getTime())
    await updateImport(tx, due.id, { followAt: null })
    await insertImport(tx, { id, kind, source, document: null, options, byId, byName, beganAt: now })
    await updateImport(tx, id, { followAt: now })
  })
}

/** The latest imports, the newest first. */
export async function listImports({ sql }: Pick<Context, 'sql'>): Promise<ImportSummary[]> {
  const rows = await latestImports(sql, limits.listed)
  const counted = await countItems(
    sql,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => summaryOf(row, counted))
}

/** @throws Problem `not_found` */
export async function readImport({ sql }: Pick<Context, 'sql'>, id: string): Promise<ImportReport> {
  const row = present(await findImport(sql, id))
  const items = await importItems(sql, id)
  const options = importOptions.parse(row.options)
  return {
    ...summaryOf(row, await countItems(sql, [id])),
    options,
    facts: importFacts.parse(row.facts),
    items: items.map(({ guid, incoming, verdict, reason, outcome, teaching }) => {
      const { title, speaker, date, scriptureReference } = wordsOf(incoming, options)
      const words = { title, speaker, date, scripture: scriptureReference, series: incoming.series }
      return { guid, ...words, verdict, reason, outcome, teaching }
    }),
  }
}

/**
 * Begins to write the new items, or continues a paused import. The first time the identity of the source's podcast becomes
 * that of the podcast here, and addresses of items that are here already lead to them.
 *
 * @throws Problem `not_found`, `duplicate` if it is not ready
 */
export async function confirmImport(
  context: Deps,
  id: string,
  answers: ImportAnswers,
  by: AuditActor,
): Promise<ImportSummary> {
  const { sql, clock, node } = context
  await inTransaction(sql, async (tx) => {
    const row = present(await lockImport(tx, id))
    if (row.state !== 'ready' && row.state !== 'paused') throw new Problem('duplicate', texts.notReady)
    const options = { ...row.options, ...answers }
    // The text of a file stays the same.
    if (row.kind === 'file' || row.kind === 'archive') options.follow = false
    const begins = row.state === 'ready'
    const facts = begins ? await adopt(tx, row) : row.facts
    if (begins && options.speaker) await updateVerdicts(tx, id, texts.noSpeaker)
    await updateImport(tx, id, {
      state: 'importing',
      failure: null,
      options,
      facts,
      ...(begins && { byId: by.id, byName: by.name }),
    })
    if (begins) {
      const entry = { actor: by, action: 'import.confirmed', subject: row.source }
      await writeAudit(tx, entry, clock.now())
    }
    await node.tell('imports', id, tx)
  })
  return summary(context, id)
}

/** Adopts the identity of the source's podcast, and stores the old addresses of teachings already in the library. */
async function adopt(tx: Transaction, row: ImportRow): Promise<ImportRow['facts']> {
  const { podcastGuid = null, feeds = [] } = row.facts
  const feedRows = feeds.flatMap((feed) => {
    const address = oldAddressOf(feed)
    return address === undefined || address === '/'
      ? []
      : [{ address, kind: 'feed' as const, teaching: null, importId: row.id }]
  })
  await insertOldAddresses(tx, feedRows)
  for (const { incoming, teaching } of await importItems(tx, row.id))
    if (teaching !== null) await insertOldAddresses(tx, addressesOf(incoming, teaching, row.id))
  const before = (await podcastIdentity(tx)) ?? null
  if (podcastGuid === null || before?.guid === podcastGuid) return row.facts
  await setPodcastIdentity(tx, {
    guid: podcastGuid,
    feedAddress: feeds[0] ?? before?.feedAddress ?? 'http://localhost/feed.xml',
  })
  return { ...row.facts, guidBefore: before }
}

/**
 * Pauses an import; the item that is being written is finished or begins again later. A finished one is not followed any more.
 *
 * @throws Problem `not_found`, `duplicate` if it is not running
 */
export async function pauseImport(context: Deps, id: string): Promise<ImportSummary> {
  const { sql, node } = context
  await inTransaction(sql, async (tx) => {
    const row = present(await lockImport(tx, id))
    if (row.state !== 'importing' && !row.followAt) throw new Problem('duplicate', texts.notRunning)
    if (row.state === 'importing') await updateImport(tx, id, { state: 'paused', failure: null })
    else await updateImport(tx, id, { followAt: null })
    await node.tell('imports', id, tx)
  })
  return summary(context, id)
}

/**
 * Moves all teachings of an import to the bin, with the series that it began, and gives the podcast its identity back. A dry
 * run is only given up.
 *
 * @throws Problem `not_found`, `duplicate` if it was undone already or is reading, `forbidden` after 30 days
 */
export async function undoImport(
  context: Deps & Pick<Context, 'changes'>,
  id: string,
  by: AuditActor,
): Promise<ImportSummary> {
  const { clock, node } = context
  await changeRows(context, async (tx) => {
    const row = present(await lockImport(tx, id))
    if (row.state === 'reading') throw new Problem('duplicate', texts.stillReading)
    if (row.state === 'undone') throw new Problem('duplicate', texts.alreadyUndone)
    const now = clock.now()
    if (row.finishedAt && now.getTime() > undoUntil(row.finishedAt))
      throw new Problem('forbidden', texts.undoLate)
    const items = await importItems(tx, id)
    const written = items.flatMap(({ outcome, teaching }) =>
      outcome === 'imported' && teaching !== null ? [teaching] : [],
    )
    const binned = await binTeachings(tx, written)
    await binSeriesOf(tx, row.facts.series ?? [])
    await undoItems(tx, id)
    await deleteOldAddresses(tx, id)
    const { guidBefore, podcastGuid } = row.facts
    const isAdopted = guidBefore !== undefined && (await podcastIdentity(tx))?.guid === podcastGuid
    if (isAdopted) await setPodcastIdentity(tx, guidBefore ?? undefined)
    await updateImport(tx, id, { state: 'undone', failure: null, finishedAt: now, followAt: null })
    const entry = { actor: by, action: 'import.undone', subject: row.source, details: { teachings: binned } }
    await writeAudit(tx, entry, now)
    await node.tell('imports', id, tx)
  })
  return summary(context, id)
}

async function summary({ sql }: Pick<Context, 'sql'>, id: string): Promise<ImportSummary> {
  return summaryOf(present(await findImport(sql, id)), await countItems(sql, [id]))
}

function present(row: ImportRow | undefined): ImportRow {
  if (!row) throw new Problem('not_found', texts.gone)
  return row
}

function summaryOf(row: ImportRow, counted: readonly ImportCountRow[]): ImportSummary {
  const { id, state, source, kind, failure, beganAt, finishedAt, followAt } = row
  const counts: ImportCounts = {
    total: 0,
    new: 0,
    same: 0,
    changed: 0,
    unreadable: 0,
    too_large: 0,
    no_audio: 0,
    imported: 0,
    failed: 0,
  }
  for (const { importId, verdict, outcome, count } of counted) {
    if (importId !== id) continue
    counts.total += count
    counts[verdict] += count
    if (outcome === 'imported' || outcome === 'failed') counts[outcome] += count
  }
  return {
    id,
    state,
    source,
    kind,
    counts,
    failure,
    beganAt: beganAt.toISOString(),
    undoUntil: state === 'done' && finishedAt ? new Date(undoUntil(finishedAt)).toISOString() : null,
    followAt: followAt?.toISOString() ?? null,
  }
}

const dayMs = 24 * 60 * 60_000
const undoUntil = (finishedAt: Date) => finishedAt.getTime() + limits.undoDays * dayMs
