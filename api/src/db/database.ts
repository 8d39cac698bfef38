import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { connectionGate, type ConnectionGate } from './connection-gate.ts'
import { connect, type ConnectionOptions, type Database, type Place } from './connection.ts'
import { startEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'

/** The product's database, migrated. */
export interface OpenDatabase {
  readonly sql: Database
  readonly place: Place
  /** Cuts connections while the database hangs. */
  readonly gate: ConnectionGate
  /** Ends the connections, and the embedded server if there is one. */
  close(): Promise<void>
}

interface OpenOptions extends ConnectionOptions {
  /** Called when an embedded server that ended by itself is being restarted. */
  onRestart?: (why: string) => void
  /** Called when the database stops answering without having ended, and when it answers again. */
  onHang?: (answers: boolean) => void
  /** As `EmbeddedOptions` has it. */
  onMovedAside?: (aside: string) => void
}

const databaseName = 'fellowship'

/**
 * Opens DATABASE_URL, else the embedded server, and migrates.
 *
 * @throws Error with a sentence that names the way out
 */
export async function openDatabase(
  {
    databaseUrl,
    dataDir,
    database,
  }: Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'database'>>,
  { onRestart, onHang, onMovedAside, ...options }: OpenOptions = {},
): Promise<OpenDatabase> {
  const server =
    databaseUrl === undefined
      ? await startEmbedded({
          dataDir,
          ...(onRestart && { onRestart }),
          ...(onMovedAside && { onMovedAside }),
        })
      : undefined
  const place: Place = server
    ? { socketFolder: server.socketFolder, database: databaseName }
    : { url: databaseUrl!, caFile: database?.caFile }
  const gate = connectionGate()
  const max = database?.connections
  const sql = connect(place, { ...(max !== undefined && { max }), ...options, gate })
  let stopWatching = async () => {}
  let answers = true
  const close = async () => {
    await stopWatching()
    // Running work may end, but PostgreSQL needs most of the time that service managers give.
    await sql.end({ timeout: answers ? 3 : 0 })
    await server?.stop({ hangs: !answers })
  }
  try {
    if (server) await createDatabase({ socketFolder: server.socketFolder, database: databaseName })
    await migrate(sql)
    if (onHang)
      stopWatching = watchAnswers(place, gate, (now) => {
        answers = now
        onHang(now)
      })
  } catch (error) {
    await close()
    throw error
  }
  return { sql, place, gate, close }
}

/** Creates a database of the embedded server unless it is there; `template` is copied. */
export async function createDatabase(
  { socketFolder, database }: { socketFolder: string; database: string },
  template = 'template0',
): Promise<void> {
  const sql = connect({ socketFolder, database: 'postgres' }, { max: 1 })
  try {
    const there = await sql`select 1 from pg_database where datname = ${database}`
    if (there.length === 0) await sql`create database ${sql(database)} template ${sql(template)}`
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A probe every two seconds with a timeout of five: waiting queries fail within seven. */
const pauseMs = 2_000
const answerMs = 5_000

/**
 * Asks the database on a connection of its own whether it answers. While it hangs, without having ended, `gate` is shut:
 * requests fail at once instead of waiting without end. Returns the function that stops asking.
 */
function watchAnswers(
  place: Place,
  gate: ConnectionGate,
  onChange: (answers: boolean) => void,
): () => Promise<void> {
  const ownGate = connectionGate()
  const sql = connect(place, { max: 1, applicationName: 'fellowship-watch', gate: ownGate })
  const stopped = new AbortController()
  const watching = watch()

  async function watch(): Promise<void> {
    let answers = true
    while (!stopped.signal.aborted) {
      const now = await isAnswering(sql)
      if (!now) {
        // The next question goes over a new connection: the old one may lead nowhere.
        ownGate.shut()
        ownGate.release()
      }
      if (stopped.signal.aborted) break
      if (now !== answers) {
        answers = now
        if (now) gate.release()
        else gate.shut()
        onChange(answers)
      }
      await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  return async () => {
    stopped.abort()
    await sql.end({ timeout: 0 })
    await watching
  }
}

/** A refusal is an answer too: a database that is down fails requests by itself. */
async function isAnswering(sql: Database): Promise<boolean> {
  let isSettled = false
  const settle = () => void (isSettled = true)
  const asked = sql`select 1`.then(settle, settle)
  const over = new AbortController()
  await Promise.race([asked, delay(answerMs, undefined, { signal: over.signal }).catch(() => undefined)])
  over.abort()
  // After a long task of this process the timer comes first, though the answer is already there.
  for (let turn = 0; turn < 3 && !isSettled; turn++) await nextTurn()
  return isSettled
}
