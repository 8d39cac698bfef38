import type { SiteFields } from '@fellowship/schema/site/site.contract'
import type { VisitName } from '@fellowship/schema/site/site.texts'
import type { Sql, Transaction } from '../../db/connection.ts'

type VisitTexts = Pick<SiteFields, VisitName>

/** The fields that were changed, and the revision of the last change. */
export interface SiteRow {
  readonly changed: Partial<SiteFields>
  readonly rev: number
}

/** Without a row, or after a restore, the revision is that at which this history of the database began. */
export async function findSite(sql: Sql): Promise<SiteRow> {
  const [row] = await sql<(VisitTexts & { identity: Partial<SiteFields>; rev: number })[]>`
    select expect, for_children, parking, phone, coalesce(identity, '{}') as identity,
      greatest(links_rev, case when v.rev between epoch_rev and sync_clock.rev then v.rev else epoch_rev end) as rev
    from sync_clock left join visit_details v on true`
  const { identity, rev, ...texts } = row!
  const written = Object.entries(texts).filter(([, text]) => text !== null)
  return { changed: { ...identity, ...Object.fromEntries(written) }, rev }
}

/** In a transaction that has allocated a revision. */
export async function updateSite(
  tx: Transaction,
  { expect, forChildren, parking, phone, ...identity }: Partial<SiteFields>,
): Promise<void> {
  const given = Object.entries({ expect, forChildren, parking, phone })
  const texts = Object.fromEntries(given.filter(([, text]) => text !== undefined)) as Partial<VisitTexts>
  await tx`insert into visit_details default values on conflict do nothing`
  await tx`update visit_details set rev = sync_alloc(), identity = identity || ${tx.json(identity)}`
  if (Object.keys(texts).length > 0) await tx`update visit_details set ${tx(texts)}`
}
