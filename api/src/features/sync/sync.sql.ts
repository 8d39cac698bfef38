import {
  type Change,
  type Digest,
  firstKinds,
  type Kind,
  kinds,
  laterKinds,
} from '@fellowship/schema/sync/sync.schema'
import type { Site } from '@fellowship/schema/site/site.contract'
import { digestOf, type Digests } from '@fellowship/sync/protocol/digest'
import type { FeedClock, FeedPort, FeedView, Row } from '@fellowship/sync/server/change-feed'
import { inSnapshot, type Database, type Sql, type Transaction } from '../../db/connection.ts'
import { madeForKey } from '../../machine/caches.ts'

/** The change feed over PostgreSQL; all reads of one page see the same snapshot. */
export function postgresFeed(
  sql: Database,
  readers: RowReaders,
  site?: (tx: Transaction) => Promise<Site>,
): FeedPort {
  /** Computed once per revision, whatever the number of devices that ask. */
  const digests = madeForKey<Digests>()
  return {
    consistently: (read) =>
      inSnapshot(sql, (tx) =>
        read({
          ...view(tx, readers),
          ...(site && { site: () => site(tx) }),
          digests: ({ epoch, rev }) => digests(`${epoch} ${rev}`, () => readDigests(tx)),
        }),
      ),
  }
}

/** The present revision of the feed; enough to answer 304. */
export async function readClock(sql: Sql): Promise<FeedClock> {
  const [clock] = await sql<FeedClock[]>`select epoch, rev, floor from sync_clock`
  if (!clock) throw new Error('The table sync_clock is empty: run the migrations.')
  return clock
}

/** The digests of all live rows, as `digestsOf` computes them, without reading the rows into this process. */
async function readDigests(tx: Transaction): Promise<Digests> {
  const rows = await tx<(Digest & { part: string })[]>`
    select part, count(*)::int as count,
      encode(sha256(convert_to(string_agg(line, E'\\n' order by line collate "C"), 'UTF8')), 'hex') as sha256
    from (select case when kind = any(${[...firstKinds]}) then 'first' else kind end as part,
      kind || ':' || uid || ':' || rev as line from sync_change where op = 'put') as lines
    group by part`
  const of = (part: string): Digest => {
    const { count, sha256 } = rows.find((row) => row.part === part) ?? digestOf([])
    return { count, sha256 }
  }
  return { digest: of('first'), digests: Object.fromEntries(laterKinds.map((kind) => [kind, of(kind)])) }
}

/** The time of the first change after `rev`; undefined if there is none. */
export async function firstChangeAfter(sql: Sql, rev: number): Promise<Date | undefined> {
  const [change] = await sql<{ changedAt: Date }[]>`
    select changed_at from sync_change where rev > ${rev} order by rev limit 1`
  return change?.changedAt
}

/** Deletes tombstones older than `days` and raises the floor to the newest of them. Returns how many. */
export async function purgeTombstones(sql: Database, days: number): Promise<number> {
  return sql.begin(async (tx) => {
    // Locks the clock first, as every writer does, against deadlocks.
    await tx`select 1 from sync_clock for update`
    const deleted = await tx<{ rev: number }[]>`
      delete from sync_change where op = 'del' and changed_at < now() - make_interval(days => ${days}) returning rev`
    if (deleted.length > 0) {
      const newest = deleted.reduce((most, { rev }) => Math.max(most, rev), 0)
      await tx`update sync_clock set floor = greatest(floor, ${newest}::bigint)`
    }
    return deleted.length
  })
}

function view(tx: Transaction, readers: RowReaders): FeedView {
  return {
    clock: () => readClock(tx),
    changesAfter: (rev, limit) => changesAfter(tx, readers, rev, limit),
    allRows: async () => {
      const rows = {} as Record<Kind, Row[]>
      for (const kind of kinds) rows[kind] = await readers[kind](tx, null)
      return rows
    },
  }
}

async function changesAfter(
  tx: Transaction,
  readers: RowReaders,
  rev: number,
  limit: number,
): Promise<Change[]> {
  const changes = await tx<{ kind: Kind; uid: string; rev: number; op: 'put' | 'del' }[]>`
    select kind, uid, rev, op from sync_change
    where rev > ${rev} and rev <= coalesce(
      (select rev from sync_change where rev > ${rev} order by rev offset ${limit - 1} limit 1),
      9223372036854775807)
    order by rev`
  const rows = new Map<string, Row>()
  for (const kind of kinds) {
    const uids = changes.filter((change) => change.kind === kind && change.op === 'put').map(({ uid }) => uid)
    if (uids.length > 0) for (const row of await readers[kind](tx, uids)) rows.set(`${kind}:${row.uid}`, row)
  }
  return changes.map(({ kind, uid, rev: at, op }) => {
    const row = rows.get(`${kind}:${uid}`)
    return op === 'put' && row
      ? { kind, uid, rev: at, op, row: { ...row } }
      : { kind, uid, rev: at, op: 'del' }
  })
}

/** Reads the live rows of each kind: all (null), or those with the given uids. */
export type RowReaders = Record<Kind, (tx: Transaction, uids: string[] | null) => Promise<Row[]>>

/**
 * Begins a new sync epoch, so that devices take a snapshot. Never reuses a revision: a queued edit of a lost state
 * must not pass for an edit of the present one. The revisions go on from the time of day, in milliseconds, or from a random
 * number above the newest: after a copy is restored twice, the second restore does not know the revisions of the first.
 *
 * @param newest the highest revision that is known besides the clock's own
 */
export async function renewEpoch(tx: Transaction, newest = 0): Promise<void> {
  await tx`
    update sync_clock set epoch = gen_random_uuid(),
      rev = greatest((extract(epoch from clock_timestamp()) * 1000)::bigint,
        greatest(case when rev < ${farthestRevision}::bigint then rev end, ${newest}::bigint)
          + ${revisionsAhead} + floor(random() * ${revisionsApart})::bigint)`
  await tx`update sync_clock set floor = rev, epoch_rev = rev`
}

/**
 * Raises the numbers of all tables above those that a lost state may have issued: devices and
 * links may still hold one. A counter that is far beyond its rows was damaged, and starts again after them.
 */
export async function skipNumbers(tx: Transaction): Promise<void> {
  const tables = await tx<{ table: string; sequence: string }[]>`
    select table_name as table, pg_get_serial_sequence(quote_ident(table_name), 'id') as sequence
    from information_schema.columns
    where table_schema = current_schema() and column_name = 'id' and column_default like 'nextval(%'`
  for (const { table, sequence } of tables) {
    await tx`select setval(${sequence}::regclass, 
      greatest((select last from pg_sequence_last_value(${sequence}::regclass) as last where last < ${farthestNumber}),
        (select max(id) from ${tx(table)} where id < ${farthestNumber}), 0)
        + ${numbersAhead}::bigint + floor(random() * ${numbersApart})::bigint)`
  }
}

/** Revisions follow the time of day in milliseconds. Those beyond this are damaged, and not continued. */
export const farthestRevision = 4_102_444_800_000
/** As for revisions: numbers begin at 1. */
export const farthestNumber = 2_000_000_000

/** More than the changes, and the new rows, between a backup or a copy and its return. */
const revisionsAhead = 1_000_000
const numbersAhead = 10_000
/** Ranges of a random part: if a copy is restored twice, the second restore does not know what the first one issued. */
const revisionsApart = 1_000_000
const numbersApart = 100_000

/** The identity of a database's history; see the table `database_history`. */
export interface DatabaseHistory {
  systemIdentifier: string | null
  timeline: number | null
  startFile: string | null
  boot: string | null
}

/** The history noted by the last start; undefined before the first one. Locked until the transaction ends. */
export async function notedHistory(
  tx: Transaction,
): Promise<(DatabaseHistory & { stopped: boolean }) | undefined> {
  await tx`select 1 from sync_clock for update`
  const [row] = await tx<(DatabaseHistory & { stopped: boolean })[]>`
    select system_identifier, timeline, start_file, boot, stopped from database_history`
  return row
}

/** Null, null if the account may not read them. */
export async function clusterIdentity(
  tx: Transaction,
): Promise<Pick<DatabaseHistory, 'systemIdentifier' | 'timeline'>> {
  const [right] = await tx<{ may: boolean }[]>`
    select has_function_privilege('pg_control_system()', 'execute')
      and has_function_privilege('pg_control_checkpoint()', 'execute') as may`
  if (!right!.may) return { systemIdentifier: null, timeline: null }
  const [row] = await tx<{ systemIdentifier: string; timeline: number }[]>`
    select s.system_identifier::text, greatest(c.timeline_id,
      -- Right after a recovery the last checkpoint may still be of the old timeline.
      ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int) as timeline
    from pg_control_system() s, pg_control_checkpoint() c`
  return row!
}

export async function noteHistory(tx: Transaction, history: DatabaseHistory): Promise<void> {
  const row = { ...history, stopped: false }
  await tx`insert into database_history ${tx(row)} on conflict (one) do update set ${tx(row)}`
}

export async function noteStopped(sql: Sql): Promise<void> {
  await sql`update database_history set stopped = true`
}
