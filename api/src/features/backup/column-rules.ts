import { syncedTables } from '../sync/sync.ts'
import type { DumpedRows } from './dumped-rows.ts'
import type { DumpRow } from './manifest.ts'
import type { Column, GivenRows } from './restore.sql.ts'

/** Revisions of synced rows: a restore gives out new ones, so that those of the backup do not count. */
const isRenewed = ({ table, name }: Pick<Column, 'table' | 'name'>): boolean =>
  (syncedTables as readonly string[]).includes(table) && (name === 'rev' || name === 'changed_rev')

/** Rows with the columns that a restore writes. */
export const givenRows = (columns: readonly Column[], { table, rows }: DumpedRows): GivenRows => ({
  table,
  columns: columns.filter((column) => column.table === table && !isRenewed(column)).map(({ name }) => name),
  rows,
})

/**
 * Checks a row by the declarations of its columns. Absent ones take their defaults.
 *
 * @returns the first fault, with the column
 */
export function columnFault(columns: readonly Column[], row: DumpRow): string | undefined {
  const known = new Set(columns.map(({ name }) => name))
  const unknown = Object.keys(row).find((name) => !known.has(name))
  if (unknown !== undefined) return `${unknown}: is no column of this product`
  for (const column of columns) {
    const value = row[column.name]
    if (value === undefined || isRenewed(column)) continue
    const fault = value === null ? (column.nullable ? undefined : 'is missing') : valueFault(column, value)
    if (fault !== undefined) return `${column.name}: ${fault}`
  }
  return undefined
}

function valueFault({ type, length }: Column, value: unknown): string | undefined {
  const rule = rules[type]
  if (rule && !rule(value)) return `is no ${type} that this product writes`
  if (length !== null && Array.from(String(value)).length > length)
    return `has more than ${length} characters`
  return undefined
}

const isWhole = (most: number) => (value: unknown) =>
  Number.isInteger(value) && Math.abs(value as number) <= most
const isText = (value: unknown) => typeof value === 'string'

/** Types of moments by their SQL names. */
export const momentTypes: ReadonlySet<string> = new Set([
  'timestamp without time zone',
  'timestamp with time zone',
])

/** As in PostgreSQL's JSON. Types without a rule are judged by the rules of their tables. */
const rules: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: isWhole(2_147_483_647),
  // The database refuses larger ones.
  bigint: isWhole(2 ** 63),
  real: (value) => typeof value === 'number',
  'double precision': (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  'character varying': isText,
  character: isText,
  text: isText,
  uuid: (value) => isText(value) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value as string),
  bytea: (value) => isText(value) && /^\\x(?:[0-9a-f]{2})*$/.test(value as string),
  ARRAY: Array.isArray,
  ...Object.fromEntries([...momentTypes].map((type) => [type, isMoment])),
}

/** Also a moment of a clock that was wrong by decades, but no infinite one. */
export function isMoment(value: unknown): boolean {
  const year = typeof value === 'string' ? Number(/^(\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(value)?.[1]) : NaN
  return year >= 1970 && year < 2200
}
