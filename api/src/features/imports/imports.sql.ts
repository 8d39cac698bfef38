import type {
  ImportFacts,
  ImportAnswers,
  ImportState,
  Outcome,
  Verdict,
} from '@fellowship/schema/imports/imports.contract'
import type { Sql, Transaction } from '../../db/connection.ts'
import type {
  IncomingSeries,
  IncomingTeaching,
  SourceKind,
} from '@fellowship/schema/imports/incoming-teaching'

export interface ImportRow {
  id: string
  state: ImportState
  source: string
  kind: SourceKind
  options: ImportAnswers
  facts: Partial<ImportFacts> & Kept
  failure: string | null
  byId: number | null
  byName: string
  beganAt: Date
  finishedAt: Date | null
  followAt: Date | null
}

/** Facts that are needed to finish an import or to undo it. */
interface Kept {
  feeds?: readonly string[]
  /** The identity of the podcast before that of the source was adopted. */
  guidBefore?: { guid: string; feedAddress: string } | null
  /** Uids of series that the import began. */
  series?: readonly string[]
  /** Series as an export describes them. */
  wanted?: readonly IncomingSeries[]
}

export interface ItemRow {
  id: string
  guid: string
  incoming: IncomingTeaching
  verdict: Verdict
  reason: string
  outcome: Outcome | null
  tries: number
  teaching: string | null
}

type NewItem = Pick<ItemRow, 'id' | 'guid' | 'incoming' | 'verdict' | 'reason' | 'teaching'>

const columns = (sql: Sql) => sql`id, state, source, kind, options, facts, failure, by_id, by_name, began_at,
  finished_at, follow_at`

export async function insertImport(
  tx: Transaction,
  row: Pick<ImportRow, 'id' | 'source' | 'kind' | 'byId' | 'byName' | 'beganAt'> & {
    options: ImportAnswers
    document: string | null
  },
): Promise<void> {
  const { options, ...plain } = row
  await tx`insert into imports ${tx({ ...plain, state: 'reading', options: tx.json(json(options)) })}`
}

export async function findImport(sql: Sql, id: string): Promise<ImportRow | undefined> {
  const [row] = await sql<ImportRow[]>`select ${columns(sql)} from imports where id = ${id}`
  return row
}

/** As `findImport`, locked until the transaction ends. */
export async function lockImport(tx: Transaction, id: string): Promise<ImportRow | undefined> {
  const [row] = await tx<ImportRow[]>`select ${columns(tx)} from imports where id = ${id} for update`
  return row
}

export const latestImports = (sql: Sql, most: number): Promise<ImportRow[]> => sql<ImportRow[]>`
  select ${columns(sql)} from imports order by began_at desc, id desc limit ${most}`

/**
 * The import that is to be worked on, with the text of its file. An uploaded archive is on the machine that received it,
 * which has a day for it; then any other finds that it is missing.
 *
 * @param here ids of the archives on this machine
 */
export async function nextImport(
  sql: Sql,
  here: readonly string[],
): Promise<(ImportRow & { document: string | null }) | undefined> {
  const [row] = await sql<(ImportRow & { document: string | null })[]>`
    select ${columns(sql)}, case when state = 'reading' then document end as document from imports
    where state in ('reading', 'importing')
      and (kind <> 'archive' or id = any(${[...here]}::uuid[]) or began_at < now() - interval '1 day')
    order by began_at limit 1`
  return row
}

/** Those in one of the states. */
export const importsIn = (tx: Sql, states: readonly ImportState[]): Promise<ImportRow[]> =>
  tx<ImportRow[]>`select ${columns(tx)} from imports where state = any(${[...states]})`

export async function updateImport(
  sql: Sql,
  id: string,
  changes: Partial<Pick<ImportRow, 'state' | 'failure' | 'finishedAt' | 'followAt' | 'byId' | 'byName'>> & {
    options?: ImportAnswers
    facts?: ImportRow['facts']
  },
): Promise<void> {
  const { options, facts, ...plain } = changes
  const row = {
    ...plain,
    ...(options && { options: sql.json(json(options)) }),
    ...(facts && { facts: sql.json(json(facts)) }),
  }
  await sql`update imports set ${sql(row)} where id = ${id}`
}

/** Forgets imports beyond the newest `listed` that ended before `before`; their teachings stay. */
export async function forgetImports(tx: Transaction, listed: number, before: Date): Promise<void> {
  await tx`
    with old as (
      delete from imports where finished_at < ${before} and follow_at is null
        -- Items that were moved in once are not new again.
        and not exists (
          select 1 from import_items where import_id = imports.id and outcome in ('imported', 'undone'))
        and id not in (select id from imports order by began_at desc limit ${listed})
      returning id)
    delete from import_items where import_id in (select id from old)`
}

export async function deleteImport(tx: Transaction, id: string): Promise<void> {
  await tx`delete from import_items where import_id = ${id}`
  await tx`delete from imports where id = ${id}`
}

/** Replaces the items of an import. */
export async function writeItems(
  tx: Transaction,
  importId: string,
  items: readonly NewItem[],
): Promise<void> {
  await tx`delete from import_items where import_id = ${importId}`
  for (let start = 0; start < items.length; start += batch) {
    const rows = items.slice(start, start + batch).map(({ incoming, ...item }, at) => ({
      ...item,
      importId,
      position: start + at,
      incoming: tx.json(json(incoming)),
    }))
    await tx`insert into import_items ${tx(rows)}`
  }
}

const batch = 500

export const importItems = (sql: Sql, importId: string): Promise<ItemRow[]> => sql<ItemRow[]>`
  select ${itemColumns(sql)} from import_items where import_id = ${importId} order by position`

/** New items that have not had their turn, in the order of the source. */
export const pendingItems = (
  sql: Sql,
  importId: string,
  most: number,
  after: readonly string[],
): Promise<ItemRow[]> =>
  sql<ItemRow[]>`select ${itemColumns(sql)} from import_items
    where import_id = ${importId} and verdict = 'new' and outcome is null and id <> all(${[...after]}::uuid[])
    order by position limit ${most}`

/** Counts one more try of an item, and returns their number. */
export async function beginItem(sql: Sql, id: string): Promise<number> {
  const [row] = await sql<{ tries: number }[]>`
    update import_items set tries = tries + 1 where id = ${id} returning tries`
  return row?.tries ?? 0
}

export async function finishItem(
  sql: Sql,
  id: string,
  { outcome, reason, teaching }: { outcome: Outcome | null; reason?: string; teaching?: string | null },
): Promise<void> {
  const changes = { outcome, ...(reason !== undefined && { reason }), ...(teaching && { teaching }) }
  await sql`update import_items set ${sql(changes)} where id = ${id}`
}

export interface ImportCountRow {
  importId: string
  verdict: Verdict
  outcome: Outcome | null
  count: number
}

export const countItems = (sql: Sql, importIds: readonly string[]): Promise<ImportCountRow[]> =>
  sql<ImportCountRow[]>`select import_id, verdict, outcome, count(*)::int as count from import_items
    where import_id = any(${[...importIds]}::uuid[]) group by import_id, verdict, outcome`

/** Items of earlier imports by guid, the last one of each, as they were described then. */
export const earlierItems = (
  sql: Sql,
  except: string,
): Promise<Pick<ItemRow, 'guid' | 'incoming' | 'teaching'>[]> =>
  sql<Pick<ItemRow, 'guid' | 'incoming' | 'teaching'>[]>`
    select distinct on (item.guid) item.guid, item.incoming, item.teaching from import_items item
    join imports of on of.id = item.import_id
    where item.import_id <> ${except} and item.outcome in ('imported', 'same')
    order by item.guid, of.began_at desc`

/** Live teachings of which subscribers know another guid than their uid. */
export const guidsOfTeachings = (sql: Sql): Promise<{ uid: string; guid: string }[]> =>
  sql<{ uid: string; guid: string }[]>`
    select uid, guid from teachings where guid is not null and deleted_at is null`

/** The uid of the live teaching with this guid. */
export async function teachingWithGuid(tx: Sql, guid: string): Promise<string | undefined> {
  const [row] = await tx<{ uid: string }[]>`
    select uid from teachings where (guid = ${guid} or uid::text = ${guid}) and deleted_at is null limit 1`
  return row?.uid
}

export async function setGuid(tx: Transaction, uid: string, guid: string): Promise<void> {
  await tx`update teachings set guid = ${guid} where uid = ${uid}`
}

/** Moves all teachings of these uids to the bin. Returns how many were not there yet. */
export async function binTeachings(tx: Transaction, uids: readonly string[]): Promise<number> {
  const { count } = await tx`update teachings set deleted_at = now()
    where uid = any(${[...uids]}::uuid[]) and deleted_at is null`
  return count
}

export async function binSeriesOf(tx: Transaction, uids: readonly string[]): Promise<void> {
  await tx`update series set deleted_at = now() where uid = any(${[...uids]}::uuid[]) and deleted_at is null`
}

/** Marks the written items of an import as undone. */
export async function undoItems(tx: Transaction, importId: string): Promise<void> {
  await tx`update import_items set outcome = 'undone' where import_id = ${importId} and outcome = 'imported'`
}

/** The identity of the podcast; undefined before the first feed was written. */
export async function podcastIdentity(sql: Sql): Promise<{ guid: string; feedAddress: string } | undefined> {
  const [row] = await sql<{ guid: string; feedAddress: string }[]>`select guid, feed_address from podcast`
  return row
}

export async function setPodcastIdentity(
  tx: Transaction,
  identity: { guid: string; feedAddress: string } | undefined,
): Promise<void> {
  await tx`delete from podcast`
  if (identity)
    await tx`insert into podcast ${tx({ ...identity, feedAddress: identity.feedAddress.slice(0, 500) })}`
}

type OldAddressKind = 'page' | 'recording' | 'feed'

export interface NewOldAddress {
  address: string
  kind: OldAddressKind
  /** Null for a feed. */
  teaching: string | null
  importId: string
}

/** Notes addresses of the old site; one that is known already stays as it is. */
export async function insertOldAddresses(tx: Transaction, rows: readonly NewOldAddress[]): Promise<void> {
  if (rows.length > 0) await tx`insert into old_addresses ${tx([...rows])} on conflict (address) do nothing`
}

export async function deleteOldAddresses(tx: Transaction, importId: string): Promise<void> {
  await tx`delete from old_addresses where import_id = ${importId}`
}

const itemColumns = (sql: Sql) => sql`id, guid, incoming, verdict, reason, outcome, tries, teaching`

type Json = Parameters<Sql['json']>[0]
const json = (value: object): Json => value as Json

export interface OldAddress {
  address: string
  kind: OldAddressKind
  teaching: string | null
}

/** Changes with every change of the old addresses. */
export async function oldAddressesVersion(sql: Sql): Promise<string> {
  const [row] = await sql<{ version: string }[]>`
    select count(*)::text || ' ' || count(distinct import_id)::text || ' ' || coalesce(max(import_id::text), '') as version
    from old_addresses`
  return row!.version
}

export const oldAddressRows = (sql: Sql): Promise<OldAddress[]> =>
  sql<OldAddress[]>`select address, kind, teaching from old_addresses`

/** Items that could not be read for this reason are new, as a person has answered it. */
export async function updateVerdicts(tx: Transaction, importId: string, reason: string): Promise<void> {
  await tx`update import_items set verdict = 'new', reason = ''
    where import_id = ${importId} and verdict = 'unreadable' and reason = ${reason}`
}

/** The import whose source is to be read again, unless one is on its way or waits for an answer. */
export async function dueImport(sql: Sql, now: Date): Promise<ImportRow | undefined> {
  const [row] = await sql<ImportRow[]>`select ${columns(sql)} from imports
    where follow_at <= ${now} and state in ('done', 'failed')
      and not exists (select 1 from imports where state in ('reading', 'ready', 'importing', 'paused'))
    order by follow_at limit 1`
  return row
}
