import { z } from 'zod'
import { elder } from '../elders/elders.schema.ts'
import { eventRow } from '../events/events.schema.ts'
import { noticeRow } from '../notices/notices.contract.ts'
import { passage } from '../passages/passages.contract.ts'
import { seriesRow } from '../series/series.schema.ts'
import { pageRow } from '../written-pages/written-pages.schema.ts'
import { teaching } from '../teachings/teachings.schema.ts'

/** Kinds of synced rows. If a device does not support a kind, it skips it, so that a newer server may add one. */
export const rowSchemas = {
  teaching,
  elder,
  passage,
  series: seriesRow,
  event: eventRow,
  notice: noticeRow,
  page: pageRow,
} as const
export type Kind = keyof typeof rowSchemas
export const kinds = Object.keys(rowSchemas) as Kind[]

/**
 * Kinds that every released client supports. The digest of a page covers only these: if it covered more, an earlier client,
 * which skips the others, would differ from the server for ever. Each later kind has a digest of its own.
 */
export const firstKinds: readonly Kind[] = ['teaching', 'elder', 'passage']
export const laterKinds: readonly Kind[] = kinds.filter((kind) => !firstKinds.includes(kind))

/** The newest state of a row since a cursor: the row, or its tombstone. */
const change = z.discriminatedUnion('op', [
  z.object({ kind: z.string(), uid: z.string(), rev: z.int(), op: z.literal('put'), row: z.looseObject({}) }),
  z.object({ kind: z.string(), uid: z.string(), rev: z.int(), op: z.literal('del') }),
])
export type Change = z.infer<typeof change>

/** Row count of a kind and a hash over every uid and revision: different digests mean that the replica is damaged. */
const digest = z.object({ count: z.int(), sha256: z.string() })
export type Digest = z.infer<typeof digest>

const pageBase = {
  /** The cursor to store with this page and to send with the next pull. */
  next: z.string(),
  more: z.boolean(),
  head: z.object({ rev: z.int() }),
  /** Of the first kinds; on the last page only. */
  digest: digest.optional(),
  /** Digests of the later kinds; on the last page only. */
  digests: z.record(z.string(), digest).optional(),
  /** The identity of the site, on the last page after its change and with a snapshot. */
  site: z.looseObject({ rev: z.int() }).optional(),
  serverTime: z.string(),
  minClientSchema: z.int(),
}

/** Changes since the cursor, in whole transactions. */
const deltaPage = z.object({ mode: z.literal('delta'), changes: z.array(change), ...pageBase })
export type DeltaPage = z.infer<typeof deltaPage>

/** All rows of a kind as columns: arrays of equal length, which compress far better than rows. */
const columns = z.record(z.string(), z.array(z.unknown()))
export type Columns = z.infer<typeof columns>

/** A full snapshot: rows of the replica that are not in it are deleted. */
const snapshotPage = z.object({
  mode: z.literal('snapshot'),
  tables: z.record(z.string(), columns),
  ...pageBase,
  more: z.literal(false),
})
export type SnapshotPage = z.infer<typeof snapshotPage>

export const syncPage = z.discriminatedUnion('mode', [deltaPage, snapshotPage])
export type SyncPage = z.infer<typeof syncPage>
