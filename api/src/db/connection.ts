import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import type { ConnectionGate } from './connection-gate.ts'
import { embeddedUser } from './embedded.ts'

/** postgres.js with camel-cased columns; bigint arrives as number, timestamps as Date, dates as YYYY-MM-DD. */
export type Database = postgres.Sql<{ bigint: number }>
/** One connection reserved from the pool, for the state of a session, such as an advisory lock. */
export type ReservedConnection = postgres.ReservedSql<{ bigint: number }>
export type Transaction = postgres.TransactionSql<{ bigint: number }>
/** Runs queries: any connection of the pool, or an open transaction. */
export type Sql = Database | Transaction

/**
 * Runs the work in a transaction and returns its result.
 *
 * @param options of `begin`, such as an isolation level
 */
export async function inTransaction<T>(
  sql: Database,
  work: (tx: Transaction) => Promise<T>,
  options = '',
): Promise<T> {
  // postgres.js would unwrap an array in the result; the cast is there as its type does so for any generic.
  const done = await sql.begin(options, async (tx) => ({ value: await work(tx) }))
  return (done as { value: T }).value
}

/** Reads in a transaction whose statements all see the same state of the database. */
export const inSnapshot = <T>(sql: Database, read: (tx: Transaction) => Promise<T>): Promise<T> =>
  inTransaction(sql, read, 'isolation level repeatable read read only')

/** The place of a database: a connection URL, or a database of the embedded server. */
export type Place = { url: string; caFile?: string | undefined } | { socketFolder: string; database: string }

export interface ConnectionOptions {
  /** Connections of the pool. */
  max?: number
  /** Shown in pg_stat_activity. */
  applicationName?: string
  /** Opens its sockets, and can cut them. */
  gate?: ConnectionGate
  /** Called when a connection was closed. The connections are then kept for as long as possible. */
  onClose?: () => void
}

/** A pool of connections. Connects on the first query. */
export function connect(
  place: Place,
  { max = 10, applicationName = 'fellowship', gate, onClose }: ConnectionOptions = {},
): Database {
  const options = {
    max,
    ...wholePipeline,
    ...(gate && { socket: gate.open }),
    // In seconds. A request waits for neither longer: by default 30, and up to 20 between tries.
    connect_timeout: 8,
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 1),
    // By default connections are renewed after about an hour, which would give up the locks of their session.
    ...(onClose && { onclose: onClose, max_lifetime: null }),
    types: { bigint: int8, date, timestamp, timestamptz },
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    // Notices such as "already exists, skipping" are not needed.
    onnotice: () => undefined,
    connection: {
      application_name: applicationName,
      TimeZone: 'UTC',
      DateStyle: longDateStyle,
      statement_timeout: 15_000,
      lock_timeout: 5_000,
      // Every writer holds the sync clock until it commits, so an idle transaction would block all others.
      idle_in_transaction_session_timeout: 10_000,
    },
  } satisfies postgres.Options<Record<string, postgres.PostgresType>>
  if ('url' in place) return postgres(place.url, { ...options, ...trusting(place) })
  const { socketFolder, database } = place
  const path = `${socketFolder}/.s.PGSQL.5432`
  return postgres({ ...options, host: socketFolder, path, user: embeddedUser, database, pass: '' })
}

/**
 * ISO, YMD with room in between: postgres.js 3.4.9 writes messages of less than 1024 bytes later, and after a connection
 * was lost with one unwritten, never again (its `nextWriteTimer` is cleared but not forgotten): each query that got that
 * connection would wait for the connect timeout and fail. A first message of that length is written at once.
 */
const longDateStyle = `ISO,${' '.repeat(1024)}YMD`

/**
 * postgres.js 3.4.9 does not reserve the connection for a transaction that begins as the last of its pipeline, by default the
 * hundredth statement under way: the transaction fails with UNSAFE_TRANSACTION after its BEGIN, and the statements of others on
 * that connection are in a transaction without an end.
 */
const wholePipeline = { max_pipeline: 1_000_000 }

/** With a certificate authority of its own, a server is always verified by it. */
function trusting({ url, caFile }: { url: string; caFile?: string | undefined }) {
  const { hostname, searchParams } = new URL(url)
  const mode = searchParams.get('sslmode')
  if (mode === 'disable' || (caFile === undefined && mode !== 'verify-full')) return {}
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }
  // postgres.js names no host if that is an address: Node would then look for localhost in the certificate.
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { ssl: { ...ca, host, rejectUnauthorized: true } }
}

/** A connection reserved from the pool until it is given back or lost. */
export interface HeldConnection {
  /** For immediate use only: once the connection is lost, queries on it never settle. */
  readonly sql: ReservedConnection
  /** Whether the session still exists, with its locks; checked over another connection of the pool. */
  isAlive(): Promise<boolean>
  /** Releases the session's advisory locks, and the connection. */
  release(): Promise<void>
}

/**
 * Reserves a connection and detects its loss. The library never settles a query on a reserved connection that was lost, and
 * releasing one would put a dead connection back into the pool.
 */
export async function reserveConnection(sql: Database): Promise<HeldConnection> {
  const reserved = await reserve(sql)
  const session = await identityOf(reserved)
  await endWithMachine(reserved)
  async function isAlive(): Promise<boolean> {
    const [row] = await sql<{ there: boolean }[]>`select exists (
      select 1 from pg_stat_activity where pid = ${session.pid} and backend_start::text = ${session.start}) as there`
    return row!.there
  }
  /** Retries, since the connection used for the check may break itself; giving up early would leave the locks held. */
  async function isKnownThere(): Promise<boolean> {
    for (const pauseMs of [500, 500, 0]) {
      try {
        return await isAlive()
      } catch {
        await delay(pauseMs)
      }
    }
    return false
  }
  let isGivenBack = false
  return {
    sql: reserved,
    isAlive,
    async release() {
      // The second call could release a connection that is already in use again.
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

/**
 * Asks again while no connection comes: postgres.js 3.4.9 forgets a waiting caller when another of the pool is closed (its
 * issue 1195). A second answer is given back.
 */
function reserve(sql: Database): Promise<ReservedConnection> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    const settle = () => {
      isSettled = true
      clearInterval(again)
    }
    const ask = () =>
      sql.reserve().then(
        (reserved) => {
          if (isSettled) return reserved.release()
          settle()
          resolve(reserved)
        },
        (error: unknown) => {
          settle()
          reject(error as Error)
        },
      )
    // A pool that has ended answers no query: the process may end all the same.
    const again = setInterval(() => void ask(), askAgainMs).unref()
    void ask()
  })
}

const askAgainMs = 2_000

/**
 * Lets PostgreSQL end this session, with its locks, half a minute after its machine lost its power or network; by default it
 * would keep them for two hours. Not among the settings of a new connection, which PgBouncer refuses.
 */
export async function endWithMachine(session: Sql | ReservedConnection): Promise<void> {
  await session`select set_config('tcp_keepalives_idle', '15', false),
    set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`
}

/** Process ids are reused; together with the start time they identify the session. */
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
 * 1208): the pool is unharmed and reconnects, so the process need not exit.
 */
export function isLostConnectionThrow(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.message.includes("reading 'write'") &&
    /\bnextWrite\b/.test(error.stack ?? '')
  )
}

/**
 * Keeps the process alive through that error, and through its kin: a connection that is lost while the library asks for
 * types on it rejects a promise without a handler. Any other uncaught error still ends the process.
 *
 * @returns the function that removes the guard
 */
export function guardLostConnections(onCaught: (error: Error) => void): () => void {
  const guard = (error: Error, origin: NodeJS.UncaughtExceptionOrigin) => {
    const isKin = origin === 'unhandledRejection' && hasCode(error, lost) && !isMissingFile(error)
    if (!isKin && !isLostConnectionThrow(error)) throw error
    onCaught(error)
  }
  process.on('uncaughtException', guard)
  return () => process.off('uncaughtException', guard)
}

/**
 * Whether an error came from the database, so that its transaction is certainly rolled back. After a lost connection, or
 * one that the server ends (class 57P), a running COMMIT may have succeeded.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof postgres.PostgresError && !error.code.startsWith('57P')
}

/** Whether the database could not be reached or went away, rather than refused a statement. */
export function isUnreachable(error: unknown): boolean {
  return hasCode(error, lost) || hasCode(error, closedToUs)
}

/**
 * Whether PostgreSQL gave up waiting, for a lock that others hold or for a statement that takes too long: what the transaction
 * wrote is undone, and the same may succeed in a moment.
 */
export function hasWaitedTooLong(error: unknown): boolean {
  return hasCode(error, waited)
}

/** Whether the database refused the values of a statement: their form (class 22), or a constraint (class 23). */
export function isRefusedValue(error: unknown): error is Error {
  return hasCode(error, /^2[23]\w{3}$/)
}

function hasCode(error: unknown, codes: RegExp): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && codes.test(code)
}

const isMissingFile = (error: Error) => (error as NodeJS.ErrnoException).code === 'ENOENT'
// ERR_SOCKET_CLOSED: a new connection was cut before its first message.
const lost =
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT$|57P0|ERR_SOCKET_CLOSED|ERR_STREAM_DESTROYED)/
// No way leads there; or PostgreSQL refuses the connection, as its password was changed (class 28), its database was renamed
// (3D000), or all of its connections are taken (53300).
const closedToUs = /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|28|3D000|53300)/
// A lock (55P03), a statement (57014), a transaction that did nothing (25P03), or two that waited for each other (40P01).
const waited = /^(55P03|57014|25P03|40P01)$/

/** Revisions and byte counts stay far below 2^53; a larger value is an error. */
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

/** By default the library reads a timestamp without zone as local time, and truncates text parameters to milliseconds. */
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
