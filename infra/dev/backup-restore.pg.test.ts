import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clusterNode, nodeIdOf } from '@fellowship/api/cluster/cluster'
import { parseEnv } from '@fellowship/api/config/config'
import { openDatabase } from '@fellowship/api/db/database'
import { databaseLocks } from '@fellowship/api/db/locks'
import { insertUser } from '@fellowship/api/features/auth/auth.sql'
import { dailyBackup } from '@fellowship/api/features/backup/backup'
import { systemClock } from '@fellowship/api/machine/clock'
import { createLog } from '@fellowship/api/machine/log'
import { diskStorage } from '@fellowship/api/machine/storage/disk-storage'
import { operatorCommand } from '@fellowship/api/testing/server-process'

const root = path.resolve(import.meta.dirname, '../..')
let dataDir: string
let cluster: string
let daily: string
let thisMajor: string

const database = () => openDatabase({ databaseUrl: undefined, dataDir })
const postgres = (name: string) => path.join(dataDir, 'postgres', name)

function restore(...args: string[]): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, operatorCommand('backup-restore', args), {
      cwd: root,
      env: { ...process.env, DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (text: Buffer) => (output += text.toString()))
    child.stderr.on('data', (text: Buffer) => (output += text.toString()))
    child.once('exit', (status) => resolve({ status, output }))
  })
}

/** A database with an account and its daily file, marked as one of PostgreSQL 13. */
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'restore-'))
  await chmod(dataDir, 0o755)
  cluster = postgres('data')
  const opened = await database()
  const { sql } = opened
  const locks = await databaseLocks(opened.place, sql)
  await insertUser(sql, { email: 'anna@example.org', password: 'x', name: 'Anna', role: 'admin' })
  const parts = {
    config: parseEnv({ DATA_DIR: dataDir }),
    sql,
    locks,
    storage: diskStorage(dataDir, { owner: locks.owner }),
    clock: systemClock,
    log: createLog('silent'),
  }
  const context = {
    ...parts,
    node: clusterNode({ ...parts, lifecycle: { draining: false } }, nodeIdOf(dataDir)),
  }
  expect(await dailyBackup(context as unknown as Parameters<typeof dailyBackup>[0])).toBe(true)
  await locks.close()
  await opened.close()
  const [name] = await readdir(path.join(dataDir, 'backups'))
  daily = path.join(dataDir, 'backups', name!)
  thisMajor = await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')
  await writeFile(path.join(cluster, 'PG_VERSION'), '13\n')
}, 120_000)
afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))

test('a database of another major version stays untouched', async () => {
  const { status, output } = await restore(daily)
  expect(status).toBe(1)
  expect(output).toMatch(/made by PostgreSQL 13.*npm run backup:restore FILE -- --new-database/s)
  expect(await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).toBe('13\n')
}, 60_000)

test('the database is put back if the backup fails', async () => {
  const damaged = path.join(dataDir, 'damaged.zip')
  await writeFile(damaged, (await readFile(daily)).subarray(0, 500))
  for (const args of [[damaged], [daily, '--dry-run']]) {
    const { output } = await restore(...args, '--new-database')
    expect(output).toContain('Nothing was written.')
    expect(await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).toBe('13\n')
    expect((await readdir(postgres(''))).filter((name) => name.startsWith('data'))).toEqual(['data'])
  }
}, 120_000)

test('a start refuses while an older database lies aside', async () => {
  await rename(cluster, postgres('data-of-postgresql-13'))
  await expect(database()).rejects.toThrow(/older one lies in .*data-of-postgresql-13.*--new-database/s)
  expect(existsSync(cluster)).toBe(false)
  await rename(postgres('data-of-postgresql-13'), cluster)
}, 60_000)

test('one command replaces the database by the daily file', async () => {
  const { status, output } = await restore(daily, '--new-database')
  expect(output).toContain(`The old database lies in ${postgres('data-of-postgresql-13')}.`)
  expect(status).toBe(0)
  expect(await readFile(path.join(postgres('data-of-postgresql-13'), 'PG_VERSION'), 'utf8')).toBe('13\n')
  expect(await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).toBe(thisMajor)
  const opened = await database()
  const { sql } = opened
  expect(await sql`select email, role from users`).toEqual([{ email: 'anna@example.org', role: 'admin' }])
  await opened.close()
}, 120_000)
