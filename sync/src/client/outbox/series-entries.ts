import { emptySeries, seriesTextOf, type SeriesText } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import { patchBetween } from '../../protocol/merge.ts'
import { uuidv7 } from '../../protocol/uuid.ts'
import type { AppDatabase, OutboxEntry, SeriesEntry } from '../database/app-database.ts'
import { isEmpty } from './entry-words.ts'
import { append, type Author } from './outbox.ts'

/** Notes the beginning of a series, whose uid later entries can name at once. */
export function appendNewSeries(db: AppDatabase, text: SeriesText, author: Author): Promise<SeriesEntry> {
  const uid = uuidv7(author.now)
  const what = { kind: 'series', op: 'create', uid, title: text.title, baseRev: 0 } as const
  return append<SeriesEntry>(db, { ...what, base: emptySeries, patch: seriesTextOf(text) }, author)
}

/** Notes an edit as seen on the screen; undefined if it changes nothing. */
export async function appendSeriesEdit(
  db: AppDatabase,
  shown: Series,
  edited: SeriesText,
  author: Author,
): Promise<SeriesEntry | undefined> {
  const base = seriesTextOf(shown)
  const patch = patchBetween(base, seriesTextOf(edited))
  if (isEmpty(patch)) return undefined
  return append<SeriesEntry>(db, { ...about(shown), op: 'edit', base, patch }, author)
}

export const appendSeriesDelete = (db: AppDatabase, shown: Series, author: Author): Promise<SeriesEntry> =>
  append<SeriesEntry>(db, { ...about(shown), op: 'delete', base: seriesTextOf(shown), patch: {} }, author)

/**
 * The series as this user sees them: the replica's rows with the outbox entries applied. One that the server does not know
 * yet has revision 0, and its uid for a slug.
 */
export function applySeriesOutbox(rows: readonly Series[], pending: readonly OutboxEntry[]): Series[] {
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  for (const entry of pending) {
    if (entry.kind !== 'series') continue
    const { uid, op, patch } = entry
    const row = byUid.get(uid) ?? (op === 'create' ? beginning(uid) : undefined)
    if (!row) continue
    if (op === 'delete') byUid.delete(uid)
    else byUid.set(uid, { ...row, ...patchedFields(patch) })
  }
  return [...byUid.values()]
}

const beginning = (uid: string): Series => ({
  uid,
  rev: 0,
  slug: uid,
  ...emptySeries,
  teachings: [],
  imageUrl: null,
})

function patchedFields({ title, description, teachings }: SeriesEntry['patch']): Partial<Series> {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(teachings !== undefined && { teachings: [...teachings] }),
  }
}

const about = ({ uid, rev, title }: Series) => ({ kind: 'series' as const, uid, baseRev: rev, title })
