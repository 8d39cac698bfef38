import type { EventRow } from '@fellowship/schema/events/events.schema'
import type { Database } from '../../db/connection.ts'
import { rowColumns } from '../../db/synced-rows.ts'

/** What a calendar needs besides: how often an event was changed, and when. */
export type VersionedEvent = EventRow & { sequence: number; changedAt: Date }

/** Events as calendars read them: all, or the one of a number. */
export const versionedEvents = (sql: Database, id?: number): Promise<VersionedEvent[]> => sql<
  VersionedEvent[]
>`
  select ${rowColumns(sql, 'event')}, sequence, changed_at from events
  where deleted_at is null and ${id === undefined ? sql`true` : sql`id = ${id}`} order by starts, id`
