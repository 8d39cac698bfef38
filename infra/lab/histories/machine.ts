import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { system } from '@fellowship/schema/system/system.contract'
import { call } from '@fellowship/sync/call/call'
import { parseEnv } from '@fellowship/api/config/config'
import { databaseLocks } from '@fellowship/api/db/locks'
import { openDatabase } from '@fellowship/api/db/database'
import { postmasterOf } from '@fellowship/api/db/embedded-owner'
import { restore } from '@fellowship/api/features/backup/restore'
import { systemClock } from '@fellowship/api/machine/clock'
import { configuredStorage } from '@fellowship/api/machine/storage/configured-storage'
import type { Crash } from '@fellowship/api/testing/power-cut'
import { processTree, signalAll } from '@fellowship/api/testing/process-tree'
import { startServer, type ServerProcess } from '@fellowship/api/testing/server-process'
import type { Random } from '@fellowship/sync/testing/random'

/** Faults of the machine that the server runs on. */
export const faults = [
  'the server is killed',
  'PostgreSQL is killed',
  'both are killed',
  'the power is cut',
  'a backup is restored',
] as const
export type Fault = (typeof faults)[number]

/** The real server with its embedded PostgreSQL on one data folder, and their faults. */
export class Machine {
  readonly dataDir: string
  #server: ServerProcess | undefined
  #cutsPower = false

  constructor(dataDir: string) {
    this.dataDir = dataDir
  }

  get url(): string {
    return this.#server!.url
  }

  /** Starts the server; for a power cut with a disk that forgets writes without a sync. */
  async start(fault?: Fault, random?: Random): Promise<void> {
    this.#cutsPower = fault === 'the power is cut'
    this.#server = await startServer(this.dataDir, {
      LOG_LEVEL: 'fatal',
      ...(this.#cutsPower && random && (await forgetfulDisk(random))),
    })
  }

  /** Causes the fault; resolves when the processes in question are gone. */
  async strike(fault: Fault): Promise<void> {
    const server = this.#server!
    if (fault === 'PostgreSQL is killed') return killPostgres(this.dataDir)
    if (this.#cutsPower) {
      process.kill(server.pid, 'SIGUSR2')
      await server.ended
    } else await server.kill()
    if (fault !== 'the server is killed') killPostgres(this.dataDir)
  }

  /** Resolves when the server runs again and is ready. */
  async recover(
    fault: Fault,
    { backup, next }: { backup?: string | undefined; next: { fault: Fault; random: Random } },
  ) {
    if (fault === 'a backup is restored') await this.#restore(backup!)
    if (fault !== 'PostgreSQL is killed') await this.start(next.fault, next.random)
    while (!(await this.#isReady())) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  /** Ends it as an operator does. */
  async stop(): Promise<void> {
    await this.#server?.stop()
  }

  /** Ends whatever still runs, after a failure. */
  async kill(): Promise<void> {
    await this.#server?.kill()
    killPostgres(this.dataDir)
  }

  /** As `npm run backup:restore FILE -- --replace`. */
  async #restore(file: string): Promise<void> {
    const config = parseEnv({ DATA_DIR: this.dataDir, LOG_LEVEL: 'silent' })
    const database = await openDatabase(config)
    const locks = await databaseLocks(database.place, database.sql)
    try {
      const storage = configuredStorage(config, locks.owner)
      const context = { sql: database.sql, storage, clock: systemClock, config, locks }
      await restore(context, file, { replace: true })
    } finally {
      await locks.close()
      await database.close()
    }
  }

  async #isReady(): Promise<boolean> {
    return call(system.ready, {}, { fetch, base: this.url }).then(
      () => true,
      () => false,
    )
  }
}

/** SIGKILL to PostgreSQL and all its processes at once. */
function killPostgres(dataDir: string): void {
  const postmaster = postmasterOf(path.join(dataDir, 'postgres', 'data'))
  if (postmaster === undefined) return
  signalAll(processTree(postmaster), 'SIGKILL')
}

const crashes: readonly Crash[] = ['power cut', 'power cut after names', 'power cut with torn files']
let bundled: Promise<string> | undefined

/** The settings that put the forgetful disk under the server. */
async function forgetfulDisk(random: Random): Promise<Record<string, string>> {
  const file = await (bundled ??= bundleDisk())
  return {
    NODE_OPTIONS: `--import=${pathToFileURL(file).href}`,
    POWER_CUT: random.pick(crashes),
    POWER_CUT_STEPS: String(random.int(9)),
  }
}

/** One plain file, so that the server needs no loader for it. */
async function bundleDisk(): Promise<string> {
  const outfile = path.join(tmpdir(), `forgetful-disk-${process.pid}.mjs`)
  const entryPoints = [path.join(import.meta.dirname, 'forgetful-disk.ts')]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' })
  return outfile
}
