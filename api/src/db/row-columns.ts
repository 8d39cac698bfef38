import { rowSchemas, type Kind } from '@fellowship/schema/sync/sync.schema'
import type { Sql } from './connection.ts'

/** The columns of a synced kind's rows, in the order of the wire. */
export const rowColumns = (sql: Sql, kind: Kind) => sql(Object.keys(rowSchemas[kind].shape))
