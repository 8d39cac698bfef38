import { Problem } from '@fellowship/schema/problem'
import { isReserved } from '@fellowship/schema/routes'
import { pageLimits } from '@fellowship/schema/written-pages/written-pages.limits'
import {
  aboutParts,
  fixedPages,
  homeParts,
  isFixed,
  newPage,
  type NewPage,
  type PageRow,
} from '@fellowship/schema/written-pages/written-pages.schema'
import { pageTexts as texts } from '@fellowship/schema/written-pages/written-pages.texts'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Actor } from '../../db/audit-log.ts'
import type { Sql, Transaction } from '../../db/connection.ts'
import { WrittenRows } from '../../db/written-rows.ts'
import { parseInput } from '../../http/input.ts'
import { onceMade } from '../../machine/caches.ts'
import { readDefaults } from '../../machine/defaults-file.ts'
import { removeUnusedPicture, savePicture, type UploadedPicture } from '../pictures/pictures.ts'
import { isSlugTaken, renewLinks } from './written-pages.sql.ts'

export { ensureFixedPages, pageLinks } from './written-pages.sql.ts'

/** The parts of Home and About that no administrator has changed. */
export const defaultParts = onceMade(() =>
  z.object({ home: homeParts, about: aboutParts }).parse(readDefaults('pages.defaults.json')),
)

type PageWords = NewPage & Pick<PageRow, 'parts' | 'imageUrl'>

/** Home and About first, then by the order in which they were added. */
export const pageRows = new WrittenRows<PageRow, PageWords>({
  kind: 'page',
  table: 'pages',
  fields: [...(Object.keys(newPage.shape) as (keyof NewPage)[]), 'parts', 'imageUrl'],
  order: ['id'],
  most: pageLimits.all,
  texts,
  subjectOf: ({ title }) => title,
  check: checked,
  checkRemoval({ slug }) {
    if (isFixed(slug)) throw new Problem('invalid_input', texts.fixed)
  },
  complete: (row) => {
    if (!isFixed(row.slug)) return row
    // A part that a later release added has its default.
    const parts = fixedPages[row.slug].parse({ ...defaultParts()[row.slug], ...row.parts })
    return { ...row, parts }
  },
  stored: (tx, { parts, ...words }) => ({
    ...words,
    parts: parts && tx.json(parts as Parameters<typeof tx.json>[0]),
  }),
  async afterChange(tx, rows) {
    if (rows.some(({ draft }) => !draft)) await renewLinks(tx)
  },
})

/** The pages that everyone may read. */
export const publicPages = async (sql: Sql, uids: readonly string[] | null = null): Promise<PageRow[]> =>
  (await pageRows.live(sql, uids)).filter(({ draft }) => !draft)

/**
 * Replaces or removes the picture of a page; null removes it. Files that no page has any more are removed after the commit.
 *
 * @throws Problem `not_found`, `unsupported_media`, `invalid_input`
 */
export async function changePagePicture(
  context: Context,
  id: number,
  picture: UploadedPicture | null,
  actor: Actor,
): Promise<PageRow> {
  const before = (await pageRows.live(context.sql)).find((page) => page.id === id)
  // If the page cannot have one, no picture is converted.
  if (!before) throw new Problem('not_found', texts.gone)
  if (isFixed(before.slug)) throw new Problem('invalid_input', texts.noPicture)
  const write = (imageUrl: string | null) => pageRows.change(context, id, { imageUrl }, actor)
  const page = await (picture ? savePicture(context, picture, 'page', write) : write(null))
  if (page.imageUrl !== before.imageUrl) await removeUnusedPicture(context, before.imageUrl)
  return page
}

async function checked(tx: Transaction, wanted: PageWords, current?: PageRow): Promise<PageWords> {
  if (current && isFixed(current.slug)) {
    const { title, slug, text, inNavigation, draft } = current
    const fixed = { title, slug, text, inNavigation, draft }
    if (JSON.stringify({ ...wanted, ...fixed }) !== JSON.stringify(wanted))
      throw new Problem('invalid_input', texts.onlyParts)
    if (wanted.imageUrl) throw new Problem('invalid_input', texts.noPicture)
    return { ...fixed, parts: parseInput(fixedPages[current.slug], wanted.parts), imageUrl: null }
  }
  if (wanted.parts) throw new Problem('invalid_input', texts.noParts)
  if (isReserved(wanted.slug)) throw new Problem('invalid_input', texts.reserved(wanted.slug))
  if (await isSlugTaken(tx, wanted.slug, current?.id))
    throw new Problem('invalid_input', texts.taken(wanted.slug))
  return { ...wanted, parts: null, imageUrl: wanted.imageUrl ?? null }
}
