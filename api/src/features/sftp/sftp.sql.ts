import type { CurrentUpload } from '@fellowship/schema/sftp/sftp.contract'
import type { Database, ReservedConnection, Transaction, Sql } from '../../db/connection.ts'

/** The settings of an administrator, and the state of the server. */
export interface SftpSettings {
  passwordSealed: string
  /** The shared host key if several processes share a bucket: clients see the same server whichever process serves. */
  hostKeySealed: string | null
  manualUntil: Date | null
  closedUntil: Date | null
  /** The port of the serving process. */
  port: number | null
  failure: string | null
  currentUpload: CurrentUpload | null
}

export async function findSettings(sql: Sql): Promise<SftpSettings | undefined> {
  const [row] = await sql<SftpSettings[]>`
    select password_sealed, host_key_sealed, manual_until, closed_until, port, failure, current_upload from sftp_settings`
  return row
}

/** Does nothing if settings exist: the first of several processes wins. */
export async function insertSettings(sql: Sql, passwordSealed: string): Promise<void> {
  await sql`insert into sftp_settings (password_sealed) values (${passwordSealed}) on conflict do nothing`
}

export async function updateSettings(
  sql: Sql,
  changes: Partial<Omit<SftpSettings, 'currentUpload'>>,
): Promise<void> {
  await sql`update sftp_settings set ${sql(changes)}`
}

/** Compare and set; false if the password has changed meanwhile. */
export async function replacePassword(tx: Transaction, from: string, to: string): Promise<boolean> {
  const { count } = await tx`update sftp_settings set password_sealed = ${to} where password_sealed = ${from}`
  return count > 0
}

/** Compare and set: the first of several processes wins. */
export async function replaceHostKey(sql: Sql, from: string | null, to: string): Promise<void> {
  await sql`update sftp_settings set host_key_sealed = ${to} where host_key_sealed is not distinct from ${from}`
}

/** Records the arriving file, or null. */
export async function setCurrentUpload(sql: Database, upload: CurrentUpload | null): Promise<void> {
  await sql`update sftp_settings set current_upload = ${upload ? sql.json({ ...upload }) : null}`
}

/** Updates the progress of an upload; does nothing if its record was cleared. */
export async function advanceCurrentUpload(sql: Database, upload: CurrentUpload): Promise<void> {
  await sql`update sftp_settings set current_upload = ${sql.json({ ...upload })}
    where current_upload ->> 'startTime' = ${String(upload.startTime)}`
}

/** 'sftp' in ASCII: the advisory lock of the process that serves. */
const lockKey = 0x73_66_74_70

/** Tries to take the lock of the serving process. It lasts until the connection is released or lost. */
export async function tryServerLock(connection: ReservedConnection): Promise<boolean> {
  const [row] = await connection<
    { taken: boolean }[]
  >`select pg_try_advisory_lock(${lockKey}::bigint) as taken`
  return row!.taken
}

/** Whether any process holds the lock. */
export async function isServerLockHeld(sql: Database): Promise<boolean> {
  const [row] = await sql<{ held: boolean }[]>`
    select exists (select 1 from pg_locks where ${isLock(sql)}) as held`
  return row!.held
}

const isLock = (sql: Database) => sql`
  locktype = 'advisory' and granted and classid = 0 and objid = ${lockKey}::bigint::oid and objsubid = 1
  and database = (select oid from pg_database where datname = current_database())`

export interface BanRow {
  address: string
  tries: number
  until: Date
}

export function bansAfter(sql: Sql, now: Date): Promise<BanRow[]> {
  return sql<
    BanRow[]
  >`select address, tries, until from address_bans where until > ${now} order by until desc`
}

export async function putBan(sql: Sql, ban: BanRow): Promise<void> {
  await sql`insert into address_bans ${sql(ban)}
    on conflict (address) do update set tries = excluded.tries, until = excluded.until`
}

/** False if the address was not banned. */
export async function deleteBan(sql: Sql, address: string): Promise<boolean> {
  return (await sql`delete from address_bans where address = ${address}`).count > 0
}

export async function deleteBansBefore(sql: Sql, now: Date): Promise<void> {
  await sql`delete from address_bans where until <= ${now}`
}
