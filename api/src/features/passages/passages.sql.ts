import type { NewPassage } from '@fellowship/schema/passages/passages.schema'
import type { Passage } from '@fellowship/schema/passages/passages.schema'
import type { Transaction, Sql } from '../../db/connection.ts'

/** All passages, in the order of their insertion. */
export function allPassages(sql: Sql): Promise<Passage[]> {
  return sql<Passage[]>`
    select uid, rev, reference, text, translation, copyright_line from passages order by id`
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
    const { reference, text, translation, copyrightLine } = row
    const { count } = await tx`
      update passages set text = ${text}, copyright_line = ${copyrightLine}
      where reference = ${reference} and translation = ${translation}
        and (text, copyright_line) is distinct from (${text}, ${copyrightLine})`
    changed += count
    if (count > 0) continue
    const inserted = await tx`insert into passages ${tx({ reference, text, translation, copyrightLine })}
      on conflict (reference, translation) do nothing`
    added += inserted.count
  }
  return { added, changed }
}
