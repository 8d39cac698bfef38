import { z } from 'zod'
import { elder } from '../elders/elders.schema.ts'
import { passage } from '../passages/passages.schema.ts'
import { teaching } from '../teachings/teachings.schema.ts'

/** What travels to devices. A kind a device does not know is skipped, so that a newer server may add one. */
export const rowSchemas = { teaching, elder, passage } as const
export type Kind = keyof typeof rowSchemas
export const kinds = Object.keys(rowSchemas) as Kind[]

export interface RowOf {
  teaching: z.infer<typeof teaching>
  elder: z.infer<typeof elder>
  passage: z.infer<typeof passage>
}

/** One entity's newest state since a cursor: its row, or that it is gone. */
export const change = z.discriminatedUnion('op', [
  z.object({ kind: z.string(), uid: z.string(), rev: z.int(), op: z.literal('put'), row: z.looseObject({}) }),
  z.object({ kind: z.string(), uid: z.string(), rev: z.int(), op: z.literal('del') }),
])
export type Change = z.infer<typeof change>

/** How many rows a kind has, and a hash over every uid and revision: equal on both sides, or something went wrong. */
export const digest = z.object({ count: z.int(), sha256: z.string() })
export type Digest = z.infer<typeof digest>

const pageBase = {
  /** The cursor to store with this page and to ask with next. */
  next: z.string(),
  more: z.boolean(),
  head: z.object({ rev: z.int() }),
  /** On the last page only. */
  digest: digest.optional(),
  serverTime: z.string(),
  minClientSchema: z.int(),
}

/** Everything that changed since the cursor, whole transactions at a time. */
export const deltaPage = z.object({ mode: z.literal('delta'), changes: z.array(change), ...pageBase })
export type DeltaPage = z.infer<typeof deltaPage>

/** All rows of a kind, member by member: arrays of equal length that compress far better than rows. */
export const columns = z.record(z.string(), z.array(z.unknown()))
export type Columns = z.infer<typeof columns>

/** The whole of it: rows on the device that are not in here are gone. */
export const snapshotPage = z.object({
  mode: z.literal('snapshot'),
  tables: z.record(z.string(), columns),
  ...pageBase,
  more: z.literal(false),
})
export type SnapshotPage = z.infer<typeof snapshotPage>

export const syncPage = z.discriminatedUnion('mode', [deltaPage, snapshotPage])
export type SyncPage = z.infer<typeof syncPage>
