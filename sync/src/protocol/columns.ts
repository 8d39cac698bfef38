import type { Columns } from '@fellowship/schema/sync/sync.schema'

type Row = Readonly<Record<string, unknown>>

/** Rows turned on their side: one array per member, in row order. A member a row lacks is null there. */
export function toColumns(rows: readonly Row[]): Columns {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)]))
}

/** The rows again. Columns of unequal length are refused: a cut or garbled answer must not become rows. */
export function fromColumns(columns: Columns): Record<string, unknown>[] {
  const entries = Object.entries(columns)
  const length = entries[0]?.[1].length ?? 0
  if (entries.some(([, values]) => values.length !== length)) throw new Error('Columns of unequal length')
  return Array.from({ length }, (_, at) =>
    Object.fromEntries(entries.map(([name, values]) => [name, values[at]])),
  )
}
