import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { inTransaction, type Database } from '../../db/connection.ts'
import {
  clusterIdentity,
  type DatabaseHistory,
  notedHistory,
  noteHistory,
  noteStopped,
  renewEpoch,
  skipNumbers,
} from './sync.sql.ts'
import { randomUUID } from 'node:crypto'
import path from 'node:path'

/**
 * At start: begins a new sync epoch if this database is not the provable continuation of the one that was served last,
 * as after a recovery to an earlier time, or with a copy of the data folder that was put back or started elsewhere. No
 * number, uid or revision is then issued twice, and every device takes a snapshot.
 *
 * @returns the reason for a new epoch; undefined if the history continues
 */
export async function continueHistory({
  sql,
  config,
  log,
}: Pick<Context, 'sql' | 'config' | 'log'>): Promise<string | undefined> {
  const isEmbedded = config.databaseUrl === undefined
  const found = isEmbedded ? { startFile: await startMark(config.dataDir), boot: await bootOf() } : elsewhere
  const why = await renewWhereBroken(sql, (noted, cluster) => breakIn(noted, { ...found, ...cluster }))
  if (why !== undefined)
    log.warn({ why }, 'the database is another one than before: devices take a fresh copy')
  const startFile = isEmbedded ? await markStart(config.dataDir) : null
  await sql.begin(async (tx) => noteHistory(tx, { ...found, ...(await clusterIdentity(tx)), startFile }))
  return why
}

/** After a lost connection: another server may have taken over, which recovered to an earlier time. */
export async function continueCluster({ sql, log }: Pick<Context, 'sql' | 'log'>): Promise<void> {
  const why = await renewWhereBroken(sql, clusterBreakIn)
  if (why !== undefined)
    log.warn({ why }, 'the database is another one than before: devices take a fresh copy')
}

/** At an orderly end: the next start continues this one. */
export const endHistory = ({ sql }: Pick<Context, 'sql'>): Promise<void> => noteStopped(sql)

type Noted = DatabaseHistory & { stopped: boolean }
type Cluster = Pick<DatabaseHistory, 'systemIdentifier' | 'timeline'>

const elsewhere = { startFile: null, boot: null }

async function renewWhereBroken(
  sql: Database,
  breakIn: (noted: Noted, cluster: Cluster) => string | undefined,
): Promise<string | undefined> {
  return await inTransaction(sql, async (tx) => {
    const noted = await notedHistory(tx)
    const cluster = await clusterIdentity(tx)
    const why = noted && breakIn(noted, cluster)
    if (!noted || why === undefined) return undefined
    await renewEpoch(tx)
    await skipNumbers(tx)
    await noteHistory(tx, { ...noted, ...cluster })
    return why
  })
}

function breakIn(noted: Noted, found: DatabaseHistory): string | undefined {
  const inCluster = clusterBreakIn(noted, found)
  if (inCluster !== undefined) return inCluster
  if (found.startFile === noted.startFile && (noted.stopped || found.boot === noted.boot)) return undefined
  if (found.startFile !== noted.startFile) return 'the data folder is a copy, or was put back'
  // A crash with the machine, or the image of a disk in use that was put back: both look the same.
  return 'the machine was started again, and the product had not been stopped'
}

function clusterBreakIn(noted: Cluster, found: Cluster): string | undefined {
  if (found.systemIdentifier !== noted.systemIdentifier) return 'the rows are in another PostgreSQL now'
  if (found.timeline !== noted.timeline) return 'PostgreSQL recovered to an earlier time'
  return undefined
}

/** Differs after each start of the machine; empty if the system does not report it. */
const bootOf = () =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => '',
  )

/** Tables that are replicated to devices. */
export const syncedTables = ['teachings', 'elders', 'passages', 'series', 'events', 'notices'] as const

const triggers = ['sync_1_statement', 'sync_2_before_row', 'sync_3_after_row'] as const

/**
 * Checks at start that all sync triggers are enabled: without them, changes never reach any device.
 *
 * @throws Error naming the missing or disabled triggers
 */
export async function assertSyncTriggers(sql: Database): Promise<void> {
  const enabled = await sql<{ place: string }[]>`
    select c.relname || '.' || t.tgname as place
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname like 'sync\\_%' and t.tgenabled in ('O', 'A')`
  const present = new Set(enabled.map(({ place }) => place))
  const missing = syncedTables.flatMap((table) =>
    triggers.map((trigger) => `${table}.${trigger}`).filter((place) => !present.has(place)),
  )
  if (missing.length === 0) return
  throw new Error(
    `The database does not report changes to devices: ${missing.join(', ')} missing or disabled. ` +
      'Enable them (alter table … enable trigger all) or restore a backup.',
  )
}

const fileIn = (dataDir: string) => path.join(dataDir, 'last-start')

/**
 * Replaces the file that marks the last start, and returns its identity. A copy of the folder, also one that is put
 * back with all dates, differs: the system sets the time of a file's last change (ctime), and its number, itself.
 */
async function markStart(dataDir: string): Promise<string> {
  const file = fileIn(dataDir)
  const aside = `${file}.new`
  await writeFile(aside, `${randomUUID()}\n`, { flush: true })
  await rename(aside, file)
  return (await startMark(dataDir))!
}

/** The identity of the file of the last start; null if there is none. */
async function startMark(dataDir: string): Promise<string | null> {
  try {
    const text = (await readFile(fileIn(dataDir), 'utf8')).trim()
    const { ino, ctimeNs } = await stat(fileIn(dataDir), { bigint: true })
    return `${text} ${ino} ${ctimeNs}`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
