import { Problem } from '@fellowship/schema/problem'
import type { Kind } from '@fellowship/schema/sync/sync.schema'
import { binDays, type Binned } from '@fellowship/schema/sync/written-calls'
import type { Context } from '../context.ts'
import { maySweep } from './age-sweeps.ts'
import { type Actor, writeAudit } from './audit-log.ts'
import type { Database, Sql, Transaction } from './connection.ts'
import { assertTarget, binCounts, changeRows, rowColumns } from './synced-rows.ts'

/** A row of a synced table that administrators write. */
interface WrittenRow {
  readonly id: number
  readonly uid: string
  readonly rev: number
}

type Action = 'created' | 'updated' | 'deleted' | 'restored'

/** A table of such rows: its names, its rules, and its sentences. */
interface WrittenTable<Row extends WrittenRow, Words extends object> {
  readonly kind: Kind & ('event' | 'notice' | 'page')
  readonly table: 'events' | 'notices' | 'pages'
  /** The fields that people write. */
  readonly fields: readonly (keyof Words & keyof Row & string)[]
  /** The columns that lists are sorted by. */
  readonly order: readonly string[]
  /** Rows that may exist, deleted ones excluded. */
  readonly most: number
  readonly texts: Readonly<Record<'gone' | 'changed' | 'tooMany' | 'notInBin', string>>
  /** Names a row in the activity log. */
  readonly subjectOf: (row: Row) => string
  /**
   * Throws if the words break a rule that no single field breaks.
   *
   * @param current the row before a change, or in the bin
   * @returns the words to store if they differ from the given ones
   */
  readonly check?: (tx: Transaction, wanted: Words, current?: Row) => Promise<Words> | Words | void
  /** Throws if the row must not be deleted. */
  readonly checkRemoval?: (row: Row) => void
  /** Whether the table counts changes, in `sequence` and `changed_at`. */
  readonly versioned?: boolean
  /** Completes a row as it was read. */
  readonly complete?: (row: Row) => Row
  /** Words as their columns take them. */
  readonly stored?: (tx: Transaction, words: Words) => Record<string, unknown>
  /** In the transaction of every change, with the row before and after it, as far as there is one. */
  readonly afterChange?: (tx: Transaction, rows: readonly Row[]) => Promise<void>
}

/** An edit of any subset of the words, with the revision that it started from. */
type Edit<Words> = { [Name in keyof Words]?: Words[Name] | undefined } & { baseRev?: number | undefined }

/** Lists and changes the rows of a table; each change is audited, and deleted rows stay in the bin for 30 days. */
export class WrittenRows<Row extends WrittenRow, Words extends object> {
  readonly #of: WrittenTable<Row, Words>

  constructor(of: WrittenTable<Row, Words>) {
    this.#of = of
  }

  /** The live rows: all, or those with the given uids. */
  async live(sql: Sql, uids: readonly string[] | null = null): Promise<Row[]> {
    const { kind, table, order } = this.#of
    const rows = await sql<Row[]>`
      select ${rowColumns(sql, kind)} from ${sql(table)}
      where deleted_at is null and ${uids ? sql`uid = any(${[...uids]}::uuid[])` : sql`true`}
      order by ${sql([...order])}, id`
    return rows.map((row) => this.#completed(row))
  }

  /** @throws Problem `invalid_input` if the words break a rule, or there are too many rows */
  create(context: Context, wanted: Words, actor: Actor): Promise<Row> {
    const { kind, table, check, versioned } = this.#of
    return changeRows(context, async (tx) => {
      const words = (await check?.(tx, wanted)) ?? wanted
      await this.#assertRoom(tx)
      const row = { ...this.#stored(tx, words), ...(versioned && { changedAt: context.clock.now() }) }
      const [inserted] = await tx<Row[]>`
        insert into ${tx(table)} ${tx(row)} returning ${rowColumns(tx, kind)}`
      const created = this.#completed(inserted!)
      await this.#note(tx, context, { actor, action: 'created', rows: [created] })
      return created
    })
  }

  /**
   * Changes the given fields.
   *
   * @throws Problem `not_found`, `revision_conflict` (with `current`), or `invalid_input`
   */
  change(context: Context, id: number, { baseRev, ...edit }: Edit<Words>, actor: Actor): Promise<Row> {
    const { table, fields, texts, check } = this.#of
    return changeRows(context, async (tx) => {
      const current = assertTarget(await this.#find(tx, id), { baseRev }, texts)
      const given = edit as unknown as Partial<Row>
      const asked = Object.fromEntries(
        fields.map((name) => [name, given[name] === undefined ? current[name] : given[name]]),
      ) as Words
      const wanted = (await check?.(tx, asked, current)) ?? asked
      const changed = fields.filter(
        (name) => JSON.stringify(current[name]) !== JSON.stringify((wanted as unknown as Row)[name]),
      )
      if (changed.length === 0) return current
      await tx`
        update ${tx(table)} set ${tx(this.#stored(tx, wanted))} ${this.#counted(tx, context)} where id = ${id}`
      const row = (await this.#find(tx, id))!
      await this.#note(tx, context, { actor, action: 'updated', rows: [row, current], fields: changed })
      return row
    })
  }

  /** Moves a row to the bin. @throws Problem `not_found`, `revision_conflict` (with `current`) */
  remove(context: Context, id: number, baseRev: number | undefined, actor: Actor): Promise<void> {
    const { table, texts, checkRemoval } = this.#of
    return changeRows(context, async (tx) => {
      const row = assertTarget(await this.#find(tx, id), { baseRev }, texts)
      checkRemoval?.(row)
      await tx`update ${tx(table)} set deleted_at = now() where id = ${id}`
      await this.#note(tx, context, { actor, action: 'deleted', rows: [row] })
    })
  }

  /** Deleted rows, the last deleted first, also those that are due to be removed. */
  async binned(sql: Sql): Promise<Binned<Row>[]> {
    const { kind, table } = this.#of
    const rows = await sql<(Row & { deletedAt: Date })[]>`
      select ${rowColumns(sql, kind)}, deleted_at from ${sql(table)}
      where deleted_at is not null order by deleted_at desc, id desc`
    return rows.map(({ deletedAt, ...row }) => ({
      ...this.#completed(row as unknown as Row),
      deletedAt: deletedAt.toISOString(),
      goneAt: new Date(deletedAt.getTime() + binDays * dayMs).toISOString(),
    }))
  }

  /** @throws Problem `not_found`, or `invalid_input` if there is no room for it any more */
  restore(context: Context, id: number, actor: Actor): Promise<Row> {
    const { table, texts, check } = this.#of
    return changeRows(context, async (tx) => {
      const binned = await this.#find(tx, id, true)
      if (!binned) throw new Problem('not_found', texts.notInBin)
      await check?.(tx, binned as unknown as Words, binned)
      await this.#assertRoom(tx)
      await tx`update ${tx(table)} set deleted_at = null ${this.#counted(tx, context)} where id = ${id}`
      const row = (await this.#find(tx, id))!
      await this.#note(tx, context, { actor, action: 'restored', rows: [row] })
      return row
    })
  }

  /** Deletes rows for good that have been in the bin for more than 30 days; returns how many. */
  async purge(sql: Database): Promise<number> {
    const { table } = this.#of
    if (!(await maySweep(sql, { name: table, ...(await binCounts(sql, table, binDays)) }))) return 0
    const deleted = await sql`
      delete from ${sql(table)} where deleted_at < now() - make_interval(days => ${binDays})`
    return deleted.count
  }

  async #find(tx: Sql, id: number, isBinned = false): Promise<Row | undefined> {
    const { kind, table } = this.#of
    const [row] = await tx<Row[]>`
      select ${rowColumns(tx, kind)} from ${tx(table)}
      where id = ${id} and ${isBinned ? tx`deleted_at is not null` : tx`deleted_at is null`}`
    return row && this.#completed(row)
  }

  async #assertRoom(tx: Transaction): Promise<void> {
    const { table, most, texts } = this.#of
    const [row] = await tx<{ count: number }[]>`
      select count(*)::int as count from ${tx(table)} where deleted_at is null`
    if (row!.count >= most) throw new Problem('invalid_input', texts.tooMany)
  }

  #completed(row: Row): Row {
    return this.#of.complete?.(row) ?? row
  }

  #stored(tx: Transaction, words: Words): Record<string, unknown> {
    return this.#of.stored?.(tx, words) ?? (words as Record<string, unknown>)
  }

  #counted(tx: Transaction, { clock }: Context) {
    return this.#of.versioned ? tx`, sequence = sequence + 1, changed_at = ${clock.now()}` : tx``
  }

  /** Ends a change: one line in the activity log. */
  async #note(
    tx: Transaction,
    { clock }: Context,
    {
      actor,
      action,
      rows,
      fields,
    }: { actor: Actor; action: Action; rows: [Row, ...Row[]]; fields?: string[] },
  ): Promise<void> {
    const { kind, subjectOf, afterChange } = this.#of
    await afterChange?.(tx, rows)
    const [row] = rows
    const details = { id: row.id, ...(fields && { fields }) }
    const entry = { actor, action: `${kind}.${action}`, subject: subjectOf(row), details }
    await writeAudit(tx, entry, clock.now())
  }
}

const dayMs = 24 * 60 * 60_000
