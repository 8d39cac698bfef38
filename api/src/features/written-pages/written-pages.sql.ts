import type { PageLink } from '@fellowship/schema/written-pages/written-pages.schema'
import type { Sql, Transaction } from '../../db/connection.ts'

/** Whether another live page has this slug. */
export async function isSlugTaken(tx: Transaction, slug: string, id: number | undefined): Promise<boolean> {
  const rows = await tx`
    select 1 from pages where slug = ${slug} and deleted_at is null and id is distinct from ${id ?? null}`
  return rows.length > 0
}

/** The addresses of public pages besides Home and About, the oldest first. */
export const pageLinks = (sql: Sql): Promise<PageLink[]> => sql<PageLink[]>`
  select '/' || slug as path, title, not in_navigation as hidden from pages
  where slug not in ('home', 'about') and not draft and deleted_at is null order by id`

/** The site with its links reaches devices again. In a transaction that has allocated a revision. */
export async function renewLinks(tx: Transaction): Promise<void> {
  await tx`update sync_clock set links_rev = sync_alloc()`
}

/** Adds Home and About after a restore of a backup that had no pages. */
export async function ensureFixedPages(tx: Transaction): Promise<void> {
  await tx`insert into pages (slug, title) values ('home', 'Home'), ('about', 'About')
    on conflict (slug) where deleted_at is null do nothing`
}
