import { type Handout, handoutFile } from '@fellowship/schema/handouts/handout-file'
import { inTransaction, type Database } from '../../db/connection.ts'
import { parsedJson } from '../../machine/json.ts'
import { farthestRevision } from '../sync/sync.ts'
import { givenRows } from './column-rules.ts'
import type { DumpedRows } from './dumped-rows.ts'
import { RestoreRefusal, type DumpRow, type Manifest } from './manifest.ts'
import { beginRehearsal, brokenReference, rehearse, type Account, type Column } from './restore.sql.ts'
import { refusedRow, rowFault } from './validate-rows.ts'

/** What a restore has to know of the rows before it writes them. */
export interface JudgedRows {
  /** Their number by table. */
  readonly rows: ReadonlyMap<string, number>
  readonly accounts: readonly Account[]
  /** The newest plausible revision. */
  readonly newestRevision: number
  /** The sealed SFTP password, if there is one. */
  readonly sealedPassword: unknown
}

/**
 * Judges every row of a backup: by the rules of its columns and of its calls, by the files of the backup, and by the database,
 * in temporary tables that are dropped again.
 *
 * @throws RestoreRefusal naming the first refused row
 */
export async function judgeRows(
  sql: Database,
  columns: readonly Column[],
  about: Manifest,
  read: () => AsyncIterable<DumpedRows>,
): Promise<JudgedRows> {
  const rows = new Map<string, number>()
  const accounts: Account[] = []
  let newestRevision = 0
  let sealedPassword: unknown
  const byTable = new Map<string, Column[]>()
  for (const column of columns) byTable.set(column.table, [...(byTable.get(column.table) ?? []), column])
  const lengths = new Map(
    about.files.flatMap(({ kind, sha256, bytes }) => (kind === 'audio' ? [[sha256, bytes]] : [])),
  )
  const handouts = new Map(
    about.files.flatMap(({ kind, storedAs, bytes }) => (kind === 'handouts' ? [[storedAs, bytes]] : [])),
  )

  function judge(table: string, row: DumpRow): void {
    const fault = rowFault(table, byTable.get(table)!, row) ?? lengthFault(table, row)
    if (fault !== undefined) throw refusedRow(table, row, fault)
    if (table === 'users') accounts.push(accountOf(row))
    if (table === 'sftp_settings') sealedPassword = row['password_sealed']
    const { rev } = row
    if (typeof rev === 'number' && rev < farthestRevision) newestRevision = Math.max(newestRevision, rev)
  }

  function lengthFault(table: string, row: DumpRow): string | undefined {
    if (table !== 'teachings') return undefined
    const { audio_sha256: hash, audio_bytes: bytes } = row
    // Their rule was checked.
    const wrong = ((row['handouts'] ?? []) as Handout[]).find(
      (handout) => (handouts.get(handoutFile(handout)) ?? handout.bytes) !== handout.bytes,
    )
    if (wrong) return `handouts: ${wrong.name} has another number of bytes`
    const length = typeof hash === 'string' ? lengths.get(hash) : undefined
    return length === undefined || length === bytes
      ? undefined
      : `audio_bytes: its recording has ${length} bytes`
  }

  await rolledBack(sql, async (tx) => {
    // A large library takes longer than the statements of requests may.
    await tx`set local statement_timeout = 0`
    for await (const batch of read()) {
      const { table } = batch
      if (!byTable.has(table)) throw strangeRows(table)
      if (!rows.has(table)) await beginRehearsal(tx, table)
      rows.set(table, (rows.get(table) ?? 0) + batch.rows.length)
      for (const text of batch.rows) judge(table, rowOf(table, text))
      const refused = await rehearse(tx, givenRows(columns, batch))
      if (refused) throw refusedRow(table, rowOf(table, refused.row), refused.why)
    }
    const broken = await brokenReference(tx, [...rows.keys()])
    if (broken)
      throw refusedRow(
        broken.table,
        broken.row,
        `${broken.column}: refers to a row of ${broken.target} that is not there`,
      )
  })
  return { rows, accounts, newestRevision, sealedPassword }
}

function rowOf(table: string, text: string): DumpRow {
  const row = parsedJson(Buffer.from(text))
  if (row === null || typeof row !== 'object' || Array.isArray(row)) throw strangeRows(table)
  return row as DumpRow
}

const strangeRows = (table: string) =>
  new RestoreRefusal(
    `database.json cannot be read by this release: it has rows of ${table}. The backup was changed since it was made: take another one.`,
  )

const accountOf = ({ id, email, password, role, is_active: isActive }: DumpRow) =>
  ({ id, email, password, role, isActive }) as Account

class Undone extends Error {}

/** Runs the work in a transaction of which nothing stays. */
async function rolledBack(sql: Database, work: Parameters<typeof inTransaction<void>>[1]): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await work(tx)
    throw new Undone()
  }).catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error
  })
}
