import type { Columns } from '@fellowship/schema/sync/sync.schema'

type Row = Readonly<Record<string, unknown>>

/** Converts rows to columns: one array per field, in row order, null if a row lacks the field. */
export function toColumns(rows: readonly Row[]): Columns {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)]))
}

/**
 * Converts columns back to rows.
 *
 * @throws Error when columns differ in length, so that a truncated response never becomes rows
 */
export function fromColumns(columns: Columns): Record<string, unknown>[] {
  const entries = Object.entries(columns)
  const length = entries[0]?.[1].length ?? 0
  if (entries.some(([, values]) => values.length !== length)) throw new Error('Columns of unequal length')
  // Field by field in one order, so that all rows share a shape: several times quicker than from entries.
  const rows: Record<string, unknown>[] = []
  for (let at = 0; at < length; at += 1) {
    const row: Record<string, unknown> = {}
    for (const [name, values] of entries) row[name] = values[at]
    rows.push(row)
  }
  return rows
}
