import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import type { Database } from '../db/connection.ts'
import { databaseAddress, type DatabaseAddress } from './database-address.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { freePort } from './stock-nginx.ts'
import { startSwift } from './swift.ts'
import { testDatabase } from './test-db.ts'

/** Several processes of the product on one database and one bucket, as behind a proxy. */
export interface SeveralServers {
  /** By their place; `start` replaces one. */
  readonly servers: ServerProcess[]
  /** Where each would open SFTP. */
  readonly sftpPorts: readonly number[]
  readonly sql: Database
  readonly database: DatabaseAddress
  /** The data folder of the process at this place. */
  folderOf: (name: string | number) => string
  /** Starts one at this place: another one, or again with the data folder and the port that it had. */
  start: (at: number) => Promise<void>
}

/**
 * They are ended after the file's tests.
 *
 * @param env settings for all of them besides
 */
export async function severalServers(
  count: number,
  env: Record<string, string> = {},
): Promise<SeveralServers> {
  const swift = await startSwift()
  const { sql, place } = await testDatabase()
  const database = await databaseAddress(place)
  const folder = await mkdtemp(path.join(tmpdir(), 'several-'))
  const settings = {
    DATABASE_URL: database.url,
    APP_SECRET: 's'.repeat(64),
    S3_ENDPOINT: swift.endpoint,
    S3_BUCKET: swift.bucket,
    S3_ACCESS_KEY_ID: swift.accessKeyId,
    S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
    LOG_LEVEL: 'fatal',
    TRUST_PROXY: '1',
    ...env,
  }
  const folderOf = (name: string | number) => path.join(folder, String(name))
  const servers: ServerProcess[] = []
  const ports: number[] = []
  const sftpPorts: number[] = []
  const start = async (at: number) => {
    ports[at] ??= await freePort()
    sftpPorts[at] ??= await freePort()
    const own = { PORT: String(ports[at]), SFTP_PORT: String(sftpPorts[at]) }
    servers[at] = await startServer(folderOf(at), { ...settings, ...own })
  }
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  for (let at = 0; at < count; at += 1) await start(at)
  return { servers, sftpPorts, sql, database, folderOf, start }
}
