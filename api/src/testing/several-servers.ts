import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach } from 'vitest'
import type { Database } from '../db/connection.ts'
import { databaseAddress, type DatabaseAddress } from './database-address.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { freePort } from './free-port.ts'
import { startSwift, type Swift } from './swift.ts'
import { testDatabase } from './test-db.ts'

/** Several processes of the product on one database and one bucket, as behind a proxy. */
export interface SeveralServers {
  /** By their place; `start` replaces one. */
  readonly servers: ServerProcess[]
  /** The SFTP port of each. */
  readonly sftpPorts: readonly number[]
  readonly swift: Swift
  /** Their common settings. */
  readonly settings: Readonly<Record<string, string>>
  readonly sql: Database
  readonly database: DatabaseAddress
  /** The data folder of the process at this place. */
  folderOf: (name: string | number) => string
  /** Starts one at this place: another one, or again with the data folder and the port that it had. */
  start: (at: number, program?: readonly string[]) => Promise<void>
}

/**
 * They are ended after the file's tests.
 *
 * @param env settings for all of them besides
 * @param clockSkewSeconds by how much their clocks may differ from that of the store
 * @param atOnce starts them at the same moment, on an empty database
 * @param program the program that runs them first, on an empty database: that of another release
 */
export async function severalServers(
  count: number,
  env: Record<string, string> = {},
  {
    clockSkewSeconds,
    atOnce = false,
    program,
  }: { clockSkewSeconds?: number; atOnce?: boolean; program?: readonly string[] } = {},
): Promise<SeveralServers> {
  const swift = await startSwift({ ...(clockSkewSeconds !== undefined && { clockSkewSeconds }) })
  const { sql, place } = await testDatabase({ migrated: !atOnce && !program })
  const database = await databaseAddress(place)
  const folder = await mkdtemp(path.join(tmpdir(), 'several-'))
  const settings = {
    DATABASE_URL: database.url,
    APP_SECRET: 's'.repeat(64),
    ...swift.forRecordings,
    LOG_LEVEL: 'warn',
    TRUST_PROXY: '1',
    ...swift.forBackups,
    ...env,
  }
  const folderOf = (name: string | number) => path.join(folder, String(name))
  const servers: ServerProcess[] = []
  const ports: number[] = []
  const sftpPorts: number[] = []
  const start = async (at: number, program?: readonly string[]) => {
    ports[at] ??= await freePort()
    // One of them opens it at once, the others when that one ends.
    sftpPorts[at] ??= await freePort()
    const own = { PORT: String(ports[at]), SFTP_PORT: String(sftpPorts[at]) }
    servers[at] = await startServer(folderOf(at), { ...settings, ...own }, program)
  }
  // Why a wait for one of them failed.
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') for (const server of servers) console.log(server.printed())
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  if (atOnce) await Promise.all(Array.from({ length: count }, (_, at) => start(at, program)))
  else for (let at = 0; at < count; at += 1) await start(at, program)
  return { servers, swift, settings, sftpPorts, sql, database, folderOf, start }
}
