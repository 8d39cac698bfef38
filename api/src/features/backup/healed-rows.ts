import { parsedJson } from '../../machine/json.ts'
import { farthestNumber, farthestRevision } from '../sync/sync.ts'
import { isMoment, momentTypes } from './column-rules.ts'
import type { DumpedRows } from './dumped-rows.ts'
import type { DumpRow, Manifest } from './manifest.ts'
import type { Column } from './restore.sql.ts'

/** The facts that replace a value. */
type Known = Pick<Manifest, 'createdAt' | 'files'>

/** The rows of a backup as a restore judges and writes them. */
export async function* healedRows(
  columns: readonly Column[],
  about: Known,
  rows: AsyncIterable<DumpedRows>,
): AsyncGenerator<DumpedRows> {
  const heal = healer(about)
  for await (const batch of rows) {
    const own = columns.filter(({ table }) => table === batch.table)
    yield { ...batch, rows: batch.rows.map((text) => healedText(text, (row) => heal(own, row))) }
  }
}

function healedText(text: string, heal: (row: DumpRow) => DumpRow): string {
  const row = parsedJson(Buffer.from(text))
  if (row === null || typeof row !== 'object' || Array.isArray(row)) return text
  const healed = heal(row as DumpRow)
  // The text of others stays as PostgreSQL wrote it.
  return healed === row ? text : JSON.stringify(healed)
}

/**
 * Replaces numbers and moments that are far beyond everything the product writes: a damaged value must not make every later backup
 * useless. Moments become that of the backup, lengths those of the files, and counters begin again. Revisions and the numbers of
 * rows stay: the restore gives out new ones when all rows are there.
 *
 * @returns a function that returns the same row if there is nothing to replace
 */
export function healer({ createdAt, files }: Known): (columns: readonly Column[], row: DumpRow) => DumpRow {
  const lengths = new Map(
    files.flatMap(({ kind, sha256, bytes }) => (kind === 'audio' ? [[sha256, bytes]] : [])),
  )
  const at = Date.parse(createdAt)

  function healed({ name, type, nullable }: Column, row: DumpRow): unknown {
    const value = row[name]
    if (momentTypes.has(type)) return isFarMoment(value) ? createdAt : value
    if (type === 'jsonb') return name === 'content' ? healedContent(value, at) : value
    if (!isFarNumber(type, value) || givenOutAnew.has(name)) return value
    // Without the file its length is unknown, and every length is one of a file that is missing.
    if (name.endsWith('_bytes')) return lengths.get(String(row[name.replace('bytes', 'sha256')])) ?? 1
    if (nullable) return null
    return counters.has(name) ? 0 : value
  }

  return (columns, row) => {
    const changed = columns
      .map((column) => [column.name, healed(column, row)] as const)
      .filter(([name, value]) => value !== row[name])
    return changed.length === 0 ? row : { ...row, ...Object.fromEntries(changed) }
  }
}

/** Numbers of rows and revisions. */
const givenOutAnew = new Set(['id', 'first_id', 'last_id', 'user_id', 'rev', 'changed_rev'])
/** Others are counted anew by every restore. */
const counters = new Set(['failures', 'tries'])

/** Bytes are far smaller. */
const farthestWhole = 1e15

function isFarNumber(type: string, value: unknown): boolean {
  if (type === 'integer') return typeof value === 'number' && Math.abs(value) >= farthestNumber
  if (type === 'bigint') return typeof value === 'number' && Math.abs(value) >= farthestWhole
  // PostgreSQL's JSON has no number for these.
  return (type === 'real' || type === 'double precision') && /^(?:-?Infinity|NaN)$/.test(String(value))
}

const isFarMoment = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:-?infinity$|\d{4,6}-\d\d-\d\dT)/.test(value) && !isMoment(value)

/** A row of listening: its moments are epoch milliseconds, beside seconds in a recording. */
function healedContent(content: unknown, at: number): unknown {
  let isChanged = false
  const heal = (key: string, value: unknown): unknown => {
    if (typeof value !== 'number' || Math.abs(value) <= farthestRevision) return value
    isChanged = true
    if (key === 'seconds') return 0
    return key === 'duration' ? 1 : at
  }
  const healed: unknown = JSON.parse(JSON.stringify(content ?? null), heal)
  return isChanged ? healed : content
}
