import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import type { Config } from './config.ts'
import { probeBucket } from './probe-bucket.ts'

/**
 * What only the machine can tell about the settings, before anything is started: whether DATA_DIR can be written, and
 * whether the addresses are of this machine; that of SFTP would else show on Sunday; and whether the bucket can be used.
 *
 * @throws the system's error, for `startFailure`, or an Error with a sentence
 */
export async function checkMachine(config: Config): Promise<void> {
  makeFolder(config.dataDir)
  const writable = constants.R_OK | constants.W_OK | constants.X_OK
  accessSync(config.dataDir, writable)
  for (const entry of readdirSync(config.dataDir, { withFileTypes: true })) {
    // The database's folder belongs to PostgreSQL's user; its start checks that.
    if (entry.isDirectory() && entry.name !== 'postgres') {
      accessSync(path.join(config.dataDir, entry.name), writable)
    }
  }
  checkAuthority(config)
  await tryAddress(config.http.host, config.http.port)
  await tryAddress(config.sftp.host, 0)
  if (config.s3) await probeBucket(config.s3)
}

function checkAuthority({ databaseUrl, database: { caFile } }: Config): void {
  if (databaseUrl === undefined || caFile === undefined) return
  let text: string
  try {
    text = readFileSync(caFile, 'utf8')
  } catch (error) {
    // Reading a folder fails without its path.
    throw Object.assign(error as NodeJS.ErrnoException, { path: caFile })
  }
  // Node takes any file, and then trusts nobody.
  if (!/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text)) {
    throw new Error(
      `DATABASE_CA is ${caFile}, which has no certificate in it. Set the path of a file that begins with -----BEGIN CERTIFICATE-----.`,
    )
  }
}

/** Level by level: Node's recursive one never returns below /proc, where each level is missing again. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder))
  mkdirSync(folder)
}

/** Listens there, and stops; port 0 is any. */
async function tryAddress(host: string, port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}

/** A sentence for each setting that is odd without stopping the start. */
export async function oddSettings(config: Config): Promise<string[]> {
  const odd: string[] = []
  const { folder } = config.weeklyBackup
  if (folder !== undefined && !canWrite(folder)) {
    odd.push(
      `BACKUP_DIR is ${folder}, where this user cannot write: no backup is kept there until it can. ` +
        'Mount the disk, or give the folder to that user; with the systemd unit, name it in ReadWritePaths= too.',
    )
  }
  const { host, port } = config.sftp
  // The site runs without it, and another process of the same database may be the one that has it.
  await tryAddress(host, port).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EADDRINUSE'
        ? 'which another program on this machine has: recordings cannot be sent here until it is free. Stop that one, or set another'
        : 'for which this user has no rights: recordings cannot be sent here. Set one above 1023'
    odd.push(`SFTP_PORT is ${port}, ${why}: SFTP_PORT=${port < 1024 ? 2222 : port + 1}`)
  })
  if (config.backupS3) {
    await probeBucket(config.backupS3).catch((error: Error) =>
      odd.push(`${error.message.replaceAll(/\bS3_/g, 'BACKUP_S3_')} No backup is kept there until then.`),
    )
  }
  return odd
}

function canWrite(folder: string): boolean {
  // It is made with the first backup.
  let existing = folder
  while (!existsSync(existing)) existing = path.dirname(existing)
  // Root may write anywhere but below /proc and /sys, where the system refuses it.
  if (/^\/(proc|sys)(\/|$)/.test(existing)) return false
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
