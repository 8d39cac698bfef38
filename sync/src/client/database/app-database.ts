import type { EntityTable, Table, Transaction } from 'dexie'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import type { ListeningMarks } from '@fellowship/schema/listening/listening-marks'
import type { ListeningNote } from '@fellowship/schema/listening/listening-note'
import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import type { ListeningKind } from '@fellowship/schema/listening/listening.schema'
import type { Passage } from '@fellowship/schema/passages/passages.contract'
import type { EventRow } from '@fellowship/schema/events/events.schema'
import type { NoticeRow } from '@fellowship/schema/notices/notices.contract'
import type { PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import type { SeriesPatch, SeriesText } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import type { Kind } from '@fellowship/schema/sync/sync.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { TeachingPatch, TeachingText } from '@fellowship/schema/teachings/teaching-words'
import type { Backoff } from '../engine/backoff.ts'
import type { UpNextEntry } from '../../protocol/up-next.ts'
import { DeviceDatabase } from './device-database.ts'
import { memoryFallback, type MemoryFallback } from './memory-fallback.ts'

/** State of this device, by key. */
export interface MetaRow {
  key: string
  value: unknown
}

/** The listening position of this device in a teaching. */
export interface PositionRow extends ListeningPosition {
  /** The teaching's. */
  uid: string
}

/** A person's marks of a teaching on this device. */
export interface MarksRow extends ListeningMarks {
  /** The teaching's. */
  uid: string
}

/** A moment that this device has written into a row, and its clock at that time, to compute the age of the moment. */
export interface OwnStamp {
  /** As it stands in the row. It may be moved, so that a later change has the later moment. */
  moment: number
  /** Epoch milliseconds of the device. If its clock is set before the row is sent, the age is wrong by as much. */
  at: number
}

/** A row of listening that the server may not have as it is; also without an account, as it may be kept with one later. */
export interface UnsentListening {
  kind: ListeningKind
  /** The teaching's uid, or the note's id. */
  key: string
  /** The stamps of this device in the row; all others are the server's. An earlier build has stored none. */
  own?: readonly OwnStamp[]
  /** Another one with each change, so that an acknowledgement is of the change that was sent. */
  nonce: string
  /** The server's moment of the place that this listening continues from. */
  base?: number
  /** Sent without the pause between places: playback has stopped there. */
  atOnce?: true
  /** A row of the same key that was made without an account: it is sent too, and the server merges both. */
  claimed?: { row: unknown; own: readonly OwnStamp[] }
  /** The server's sentence if it has rejected the row. */
  refused?: string
}

/** A row of listening that is not shown at the moment. */
export interface InactiveListening {
  /** The account it belongs to; 0 if it was made without one. */
  owner: number
  kind: ListeningKind
  key: string
  row: unknown
  unsent?: UnsentListening
}

interface EntryBase extends Backoff {
  /** The order in which they were made. */
  seq: number
  /** The Idempotency-Key: the server applies it once, however often it is sent. */
  mutationId: string
  /** Of the row that it changes; entries of one uid are sent one after another. */
  uid: string
  /** For messages. */
  title: string
  /** The revision that the person saw; 0 if the server does not have the row yet. */
  baseRev: number
  ownerUserId: number
  /**
   * queued: will be sent · sending: in a request · blocked_auth: needs a sign-in · conflict: needs a decision ·
   * rejected: refused by the server, see `lastError`
   */
  state: 'queued' | 'sending' | 'blocked_auth' | 'conflict' | 'rejected'
  createdAt: number
  /** The last error of the server. */
  lastError?: { code: string; sentence: string }
}

/** An edit or a deletion of a teaching that the server has not acknowledged. */
export interface TeachingEntry extends EntryBase {
  kind?: undefined
  /** In the path of the request. */
  teachingId: number
  /**
   * restore: a deletion that may have been sent was taken back. An earlier build takes it for an edit that changes nothing,
   * which does no harm.
   */
  op: 'edit' | 'delete' | 'restore'
  /** The teaching as the person saw it. */
  base: TeachingText
  /** The words that the person changed. */
  patch: TeachingPatch
  /** The teaching on the server, in a conflict. */
  current?: Teaching
}

/** The same of a series, and its beginning. */
export interface SeriesEntry extends EntryBase {
  kind: 'series'
  op: 'create' | 'edit' | 'delete' | 'restore'
  base: SeriesText
  patch: SeriesPatch
  current?: Series
}

/** A change that the server has not acknowledged. */
export type OutboxEntry = TeachingEntry | SeriesEntry
/** Before the database has numbered it. */
export type NewEntry = Omit<TeachingEntry, 'seq'> | Omit<SeriesEntry, 'seq'>

/** In `meta`. */
export const signedInKey = 'signedInUser'

/** The shape of the rows that this build writes. Raise it if an older build would do harm by writing. */
export const writerSchema = 2

/**
 * The replica of the public data, the outbox, and listening. Only the newest version is listed, since each
 * costs time at every start and none has changed rows: a database of any older one gets the tables and indexes it lacks.
 * A version that changes rows is listed beside it, with its `upgrade`.
 */
export class AppDatabase extends DeviceDatabase {
  declare teachings: EntityTable<Teaching, 'uid'>
  declare elders: EntityTable<Elder, 'uid'>
  declare passages: EntityTable<Passage, 'uid'>
  declare series: EntityTable<Series, 'uid'>
  declare events: EntityTable<EventRow, 'uid'>
  declare notices: EntityTable<NoticeRow, 'uid'>
  declare pages: EntityTable<PageRow, 'uid'>
  declare positions: EntityTable<PositionRow, 'uid'>
  declare upNext: EntityTable<UpNextEntry, 'uid'>
  declare marks: EntityTable<MarksRow, 'uid'>
  declare notes: EntityTable<ListeningNote, 'id'>
  declare unsentListening: Table<UnsentListening, [string, string]>
  declare outbox: Table<OutboxEntry, number, NewEntry>
  declare meta: EntityTable<MetaRow, 'key'>

  constructor(name = 'app', fallback?: MemoryFallback) {
    super(name, fallback)
    // Few indexes: each slows down every one of ten thousand writes, and lists are sorted in memory.
    this.version(6).stores({
      // By date and id, so that the first screen does not wait for ten thousand rows.
      teachings: 'uid, [date+id]',
      elders: 'uid',
      passages: 'uid, reference',
      series: 'uid',
      positions: 'uid',
      upNext: 'uid',
      marks: 'uid',
      notes: 'id, uid',
      unsentListening: '[kind+key]',
      keptListening: '[owner+kind+key], owner',
      outbox: '++seq, mutationId, uid',
      meta: 'key',
    })
    this.version(7).upgrade(markRowsOfWrongClock)
    this.version(9).stores({ events: 'uid', notices: 'uid', pages: 'uid' })
  }

  /** Listening that is not shown; the store has its name from earlier builds. */
  get inactiveListening(): Table<InactiveListening, [number, string, string]> {
    return this.table('keptListening')
  }

  /** The signed-in user of this device, as its last page knew it. */
  async signedInUser(): Promise<number | undefined> {
    return (await this.meta.get(signedInKey))?.value as number | undefined
  }

  /** The table of a kind. */
  tableOf(kind: Kind): Table<{ uid: string; rev: number }, string> {
    const tables = {
      teaching: this.teachings,
      elder: this.elders,
      passage: this.passages,
      series: this.series,
      event: this.events,
      notice: this.notices,
      page: this.pages,
    }
    return tables[kind] as unknown as Table<{ uid: string; rev: number }, string>
  }

  /** The table of a kind of listening. */
  listeningTableOf(kind: ListeningKind): Table<unknown, string> {
    const tables = { position: this.positions, marks: this.marks, note: this.notes, upNext: this.upNext }
    return tables[kind] as unknown as Table<unknown, string>
  }

  /** The listening that the device shows. */
  get listeningTables(): Table[] {
    return [this.positions, this.marks, this.notes, this.upNext]
  }

  /** The tables that every change of listening touches beside its own. */
  get unsentTables(): Table[] {
    return [this.unsentListening, this.meta]
  }

  /** Every table a page of changes may touch, for one transaction. */
  get replicaTables(): Table[] {
    const { teachings, elders, passages, series, events, notices, pages, meta } = this
    return [teachings, elders, passages, series, events, notices, pages, meta]
  }
}

/**
 * Earlier builds marked no rows without an account. A device that had compared its clock with the server's stamped by that one;
 * on any other the rows have the device's own time, and are sent with their age.
 */
async function markRowsOfWrongClock(tx: Transaction): Promise<void> {
  const behind = await tx.table<MetaRow>('meta').get('listeningClockBehind')
  await tx.table('meta').delete('listeningClockBehind')
  if (behind) return
  const unsent = tx.table<UnsentListening>('unsentListening')
  const marked = (mark: UnsentListening | undefined, kind: ListeningKind, key: string, row: unknown) => ({
    nonce: key,
    ...mark,
    kind,
    key,
    own: momentsOf(row).map((moment) => ({ moment, at: moment })),
  })
  for (const [kind, store] of Object.entries(storeOfKind) as [ListeningKind, string][])
    for (const row of await tx.table<{ uid: string; id?: string }>(store).toArray()) {
      const key = kind === 'note' ? row.id! : row.uid
      await unsent.put(marked(await unsent.get([kind, key]), kind, key, row))
    }
  await tx
    .table('keptListening')
    .toCollection()
    .modify((each: InactiveListening) => {
      each.unsent = marked(each.unsent, each.kind, each.key, each.row)
    })
}

const storeOfKind = { position: 'positions', marks: 'marks', note: 'notes', upNext: 'upNext' }

/** Every moment of a row, whichever its kind. */
const momentsOf = (row: unknown): number[] =>
  Object.entries(row ?? {}).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' ? momentsOf(value) : momentNames.has(name) ? [value as number] : [],
  )
const momentNames = new Set(['listenedAt', 'at', 'createdAt', 'changedAt'])

let opened: AppDatabase | undefined

/** The one `app` database of this page; in memory if the browser cannot open its own. */
export const appDatabase = (): AppDatabase => (opened ??= new AppDatabase('app', memoryFallback()))
