import type { NewPassage, Passage } from '@fellowship/schema/passages/passages.contract'
import type { Transaction, Sql } from '../../db/connection.ts'
import { rowColumns } from '../../db/synced-rows.ts'

/** Passages in the order of their insertion: all, or those with the given uids. */
export function allPassages(sql: Sql, uids: readonly string[] | null = null): Promise<Passage[]> {
  return sql<Passage[]>`select ${rowColumns(sql, 'passage')} from passages
    where ${uids ? sql`uid = any(${[...uids]}::uuid[])` : sql`true`} order by id`
}

/** The references without a passage in any translation. */
export async function missingReferences(sql: Sql, references: readonly string[]): Promise<string[]> {
  const rows = await sql<{ reference: string }[]>`
    select reference from unnest(${[...references]}::text[]) as wanted (reference)
    where not exists (select 1 from passages where passages.reference = wanted.reference)`
  return rows.map(({ reference }) => reference)
}

/** Inserts passages, or updates their text. Returns how many were added and changed. */
export async function putPassages(
  tx: Transaction,
  passages: readonly NewPassage[],
): Promise<{ added: number; changed: number }> {
  await tx`select sync_alloc()`
  let [added, changed] = [0, 0]
  for (const row of passages) {
    const { reference, translation, ...words } = row
    const differs = Object.entries(words)
      .map(([name, value]) => tx`${tx(name)} is distinct from ${value}`)
      .reduce((some, other) => tx`${some} or ${other}`)
    const { count } = await tx`
      update passages set ${tx(words)}
      where reference = ${reference} and translation = ${translation} and (${differs})`
    changed += count
    if (count > 0) continue
    const inserted = await tx`insert into passages ${tx(row)}
      on conflict (reference, translation) do nothing`
    added += inserted.count
  }
  return { added, changed }
}
