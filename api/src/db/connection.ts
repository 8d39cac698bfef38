import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import { embeddedUser } from './embedded.ts'

/** postgres.js with camel-cased columns; bigint arrives as number, timestamps as Date, dates as YYYY-MM-DD. */
export type Database = postgres.Sql<{ bigint: number }>
/** One connection of the pool, kept for oneself: what belongs to a session, such as an advisory lock. */
export type ReservedConnection = postgres.ReservedSql<{ bigint: number }>
export type Transaction = postgres.TransactionSql<{ bigint: number }>
/** What a query runs on: any connection of the pool, or an open transaction. */
export type Sql = Database | Transaction

/** Where a database is: an address, or a database of the embedded server. */
export type Place = { url: string } | { socketFolder: string; database: string }

export interface ConnectionOptions {
  /** Connections of the pool. */
  max?: number
  /** Shown in pg_stat_activity. */
  applicationName?: string
}

/** A pool of connections. Nothing is contacted before the first query. */
export function connect(
  place: Place,
  { max = 10, applicationName = 'fellowship' }: ConnectionOptions = {},
): Database {
  const options = {
    max,
    types: { bigint: int8, date, timestamp, timestamptz },
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    // What a statement prints on the side, such as "already exists, skipping", is of no use to anyone here.
    onnotice: () => undefined,
    connection: {
      application_name: applicationName,
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      statement_timeout: 15_000,
      lock_timeout: 5_000,
      // Every writer holds the sync clock until it commits, so none may fall asleep holding it.
      idle_in_transaction_session_timeout: 10_000,
    },
  } satisfies postgres.Options<Record<string, postgres.PostgresType>>
  if ('url' in place) return postgres(place.url, options)
  const { socketFolder, database } = place
  const path = `${socketFolder}/.s.PGSQL.5432`
  return postgres({ ...options, host: socketFolder, path, user: embeddedUser, database, pass: '' })
}

/** One connection of the pool, kept for oneself until it is given back or lost. */
export interface KeptConnection {
  /** Only for what follows at once: once the connection is lost, nothing that is asked here is ever answered. */
  readonly sql: ReservedConnection
  /** Whether the session is still there, with all it holds; asked through another connection of the pool. */
  isThere(): Promise<boolean>
  /** Lets go of the advisory locks of the session, and of the connection. */
  giveBack(): Promise<void>
}

/**
 * Keeps a connection whose loss is noticed. The library itself neither answers nor refuses a query on a reserved one
 * that was lost, and one that is released then stands dead among those that others are given.
 */
export async function keepConnection(sql: Database): Promise<KeptConnection> {
  const reserved = await sql.reserve()
  const session = await identityOf(reserved)
  async function isThere(): Promise<boolean> {
    const [row] = await sql<{ there: boolean }[]>`select exists (
      select 1 from pg_stat_activity where pid = ${session.pid} and backend_start::text = ${session.start}) as there`
    return row!.there
  }
  /** Another connection of the pool that breaks as it is asked says nothing of this one, which would keep its locks for ever. */
  async function isKnownThere(): Promise<boolean> {
    for (const pauseMs of [500, 500, 0]) {
      try {
        return await isThere()
      } catch {
        await delay(pauseMs)
      }
    }
    return false
  }
  let isGivenBack = false
  return {
    sql: reserved,
    isThere,
    async giveBack() {
      // A second time it may be somebody else's already.
      if (isGivenBack) return
      isGivenBack = true
      if (!(await isKnownThere())) return
      try {
        await reserved`select pg_advisory_unlock_all()`
      } finally {
        reserved.release()
      }
    },
  }
}

/** Numbers of sessions are given out again; with its start it is this one. */
async function identityOf(reserved: ReservedConnection): Promise<{ pid: number; start: string }> {
  try {
    const [row] = await reserved<{ pid: number; start: string }[]>`
      select pid, backend_start::text as start from pg_stat_activity where pid = pg_backend_pid()`
    return row!
  } catch (error) {
    if (isRolledBack(error)) reserved.release()
    throw error
  }
}

/**
 * Whether an uncaught error is postgres.js writing to a connection that has just been lost (its issues 1066, 1154,
 * 1208): the pool is unharmed and connects anew, so the process need not end for it.
 */
export function isLostConnectionThrow(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.message.includes("reading 'write'") &&
    /\bnextWrite\b/.test(error.stack ?? '')
  )
}

/**
 * Keeps the process alive through that throw, and only that: any other uncaught error still ends it.
 *
 * @returns the function that takes the guard away
 */
export function guardLostConnections(onCaught: (error: Error) => void): () => void {
  const guard = (error: Error) => {
    if (!isLostConnectionThrow(error)) throw error
    onCaught(error)
  }
  process.on('uncaughtException', guard)
  return () => process.off('uncaughtException', guard)
}

/**
 * Whether an error is the database's own answer, after which its transaction is certainly undone. A lost connection,
 * or one that the server ends (class 57P), leaves open whether a COMMIT under way was carried out.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof postgres.PostgresError && !error.code.startsWith('57P')
}

/** Revisions and byte counts stay far below 2^53; one that does not is a fault worth hearing of. */
const int8 = {
  to: 20,
  from: [20],
  serialize: (value: number) => String(value),
  parse: (text: string) => {
    const value = Number(text)
    if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number`)
    return value
  },
}

const date = { to: 1082, from: [1082], serialize: (value: string) => value, parse: (text: string) => text }

/** The library would read a timestamp without zone as local time, and cut text parameters to milliseconds. */
const timestamp = {
  to: 1114,
  from: [1114],
  serialize: writeTime,
  parse: (text: string) => readTime(`${text}Z`),
}
const timestamptz = { to: 1184, from: [1184], serialize: writeTime, parse: readTime }

function writeTime(value: Date | string): string {
  return value instanceof Date ? value.toISOString() : value
}

/** `2026-11-22 11:00:00.5+13`: JavaScript wants a T and the minutes of the offset. */
function readTime(text: string): Date {
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'))
}
