import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tryKernelLock } from '../machine/kernel-lock.ts'
import { childrenOf, commandOf, parentOf, processIdentity } from '../machine/process/process-identity.ts'
import { connect, type Database } from './connection.ts'
import { startEmbedded } from './embedded.ts'
import { endOrphan } from './embedded-owner.ts'
import type { EmbeddedServer } from './embedded-process.ts'

const isRoot = process.getuid?.() === 0
// Whole servers start here, several times a test.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let dataDir: string
const running: { stop(): Promise<void> }[] = []
const children: ChildProcess[] = []
const postmasters: number[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'embedded-'))
  await chmod(dataDir, 0o755)
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of running.splice(0)) await server.stop()
  // A server whose starter was killed shuts down by itself, and writes to its folder until then.
  for (const pid of postmasters.splice(0)) expect(await gone(pid)).toBe(true)
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
})

const start = async (options: { throwaway?: boolean; onRestart?: (why: string) => void } = {}) => {
  const server = await startEmbedded({ dataDir, ...options })
  running.push(server)
  return server
}
const open = (server: Pick<EmbeddedServer, 'socketFolder'>): Database => {
  const sql = connect({ socketFolder: server.socketFolder, database: 'postgres' }, { max: 2 })
  running.unshift({ stop: () => sql.end({ timeout: 1 }) })
  return sql
}
const gone = async (pid: number) => {
  for (let tries = 0; tries < 300 && processIdentity(pid) !== undefined; tries++) await delay(50)
  return processIdentity(pid) === undefined
}
const script = path.join(import.meta.dirname, '../testing/start-embedded.ts')
/** Starts the server from another process, which the test can kill. */
const startElsewhere = async (...more: string[]) =>
  startBy([process.execPath, '--import', 'tsx', script, dataDir, ...more])
const startBy = async ([program, ...args]: string[]) => {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const printed = JSON.parse(line.toString()) as { socketFolder: string; postmaster: number }
  if (program === process.execPath) postmasters.push(printed.postmaster)
  return { child, ...printed }
}

test('refuses files of another major version with the way out', async () => {
  const cluster = path.join(dataDir, 'postgres', 'data')
  await mkdir(cluster, { recursive: true })
  await writeFile(path.join(cluster, 'PG_VERSION'), '13\n')
  await expect(start()).rejects.toThrow(
    /made by PostgreSQL 13.*npm run backup:restore FILE -- --new-database/s,
  )
  expect(existsSync(path.join(dataDir, 'postgres', 'owner'))).toBe(false)
})

test('refuses a folder that a running process uses', async () => {
  const { child, postmaster } = await startElsewhere()
  await expect(start()).rejects.toThrow(new RegExp(`in use by process ${child.pid}\\b`))
  expect(processIdentity(postmaster)).toBeDefined()
})

test('starts on a copy of a folder in use', async () => {
  const { child, postmaster, socketFolder } = await startElsewhere()
  const first = open({ socketFolder })
  await first`create table kept as select 1 as n`
  await first`checkpoint`
  const copied = path.join(dataDir, 'copy')
  await mkdir(copied)
  execFileSync('cp', ['-a', path.join(dataDir, 'postgres'), copied])

  const server = await startEmbedded({ dataDir: copied })
  running.push(server)
  const second = open(server)
  await second`update kept set n = 2`
  expect(await first`select n from kept`).toEqual([{ n: 1 }])
  expect(child.exitCode).toBeNull()
  expect(existsSync(socketFolder)).toBe(true)
  expect(server.pid()).not.toBe(postmaster)
})

test('refuses a folder whose lock another container holds', async () => {
  const folder = path.join(dataDir, 'postgres')
  const lockFile = path.join(folder, 'data/postmaster.pid')
  await mkdir(path.join(folder, 'data'), { recursive: true })
  await writeFile(lockFile, '7\n')
  const owner = JSON.stringify({ launcher: '1-2', space: 'a boot pid:[1]', socketFolder: '/nowhere' })
  await writeFile(path.join(folder, 'owner'), owner)
  if (isRoot) execFileSync('chown', ['-R', 'nobody', folder])
  const holder = tryKernelLock(path.join(folder, 'lock'))!
  await expect(start()).rejects.toThrow(/is in use by another container\. Stop that one first/)
  expect(readFileSync(lockFile, 'utf8')).toBe('7\n')
  expect(readFileSync(path.join(folder, 'owner'), 'utf8')).toBe(owner)
  holder.release()
})

/** In the pid and ipc namespaces of another container: neither sees the other's processes or shared memory. */
const elsewhere = ['unshare', '--pid', '--ipc', '--fork', '--mount-proc', '--kill-child'] as const
const canUnshare = spawnSync(elsewhere[0], [...elsewhere.slice(1), 'true']).status === 0

test.skipIf(!canUnshare)('two containers get a data folder one after the other', async () => {
  const { child, postmaster } = await startElsewhere()
  const second = spawnSync(
    elsewhere[0],
    [...elsewhere.slice(1), process.execPath, '--import', 'tsx', script, dataDir],
    { encoding: 'utf8' },
  )
  expect(second.status).not.toBe(0)
  expect(second.stderr).toMatch(/is in use by another container\. Stop that one first, or set DATA_DIR/)
  expect(processIdentity(postmaster)).toBeDefined()

  child.kill('SIGKILL')
  expect(await gone(postmaster)).toBe(true)
  const third = await startBy([...elsewhere, process.execPath, '--import', 'tsx', script, dataDir])
  await expect(start()).rejects.toThrow(/in use by another container/)
  third.child.kill('SIGKILL')
  const server = await start()
  expect(await open(server)`select 1 as n`).toEqual([{ n: 1 }])
})

test('committed rows survive a restart; no process or socket remains', async () => {
  const first = await startEmbedded({ dataDir })
  const pid = first.pid()!
  const sql = connect({ socketFolder: first.socketFolder, database: 'postgres' }, { max: 1 })
  await sql`create table kept as select 'Māori' as word`
  expect(
    await sql`select count(*)::int as listening from pg_settings where name = 'listen_addresses' and setting <> ''`,
  ).toEqual([{ listening: 0 }])
  await sql.end()
  await first.stop()
  expect(await gone(pid)).toBe(true)
  expect(existsSync(first.socketFolder)).toBe(false)

  const second = await start()
  expect(await open(second)`select upper(word) as word from kept`).toEqual([{ word: 'MĀORI' }])
})

test('stops at once while a client is in a transaction', async () => {
  const server = await startEmbedded({ dataDir, throwaway: true })
  const script = `
    import { connect } from ${JSON.stringify(path.join(import.meta.dirname, 'connection.ts'))}
    const sql = connect({ socketFolder: ${JSON.stringify(server.socketFolder)}, database: 'postgres' }, { max: 1 })
    await sql.begin(async (tx) => {
      await tx\`create table never ()\`
      console.log('open')
      await new Promise((resolve) => setTimeout(resolve, 20_000))
    })`
  const client = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(client)
  await once(client.stdout, 'data')
  const pid = server.pid()!
  const began = Date.now()
  await server.stop()
  expect(Date.now() - began).toBeLessThan(10_000)
  expect(processIdentity(pid)).toBeUndefined()
})

test('a killed starter ends PostgreSQL and its temporary folders', async () => {
  const { child, postmaster, socketFolder } = await startElsewhere('throwaway')
  child.kill('SIGKILL')
  expect(await gone(postmaster)).toBe(true)
  for (let tries = 0; tries < 300 && existsSync(dataDir); tries++) await delay(50)
  expect(existsSync(socketFolder)).toBe(false)
  expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false)
})

test.skipIf(process.platform !== 'linux')('takes over a PostgreSQL without starter and keeper', async () => {
  // A folder that only root may enter, if root starts it.
  if (isRoot) await chmod(dataDir, 0o700)
  const { child, postmaster, socketFolder } = await startElsewhere()
  const sql = connect({ socketFolder, database: 'postgres' }, { max: 1 })
  await sql`create table acknowledged as select 1 as n`
  await sql.end()
  const keeper = parentOf(postmaster)!
  expect(commandOf(keeper)).toContain('/bin/sh')
  // Stopped first, so that neither notices that the other has ended.
  for (const pid of [keeper, ...childrenOf(keeper)].filter((pid) => pid !== postmaster))
    process.kill(pid, 'SIGSTOP')
  child.kill('SIGKILL')
  for (const pid of [keeper, ...childrenOf(keeper)].filter((pid) => pid !== postmaster))
    process.kill(pid, 'SIGKILL')
  await delay(200)
  expect(processIdentity(postmaster)).toBeDefined()

  const server = await start()
  expect(await gone(postmaster)).toBe(true)
  expect(existsSync(socketFolder)).toBe(false)
  expect(await open(server)`select n from acknowledged`).toEqual([{ n: 1 }])
})

test('restarts a killed PostgreSQL with every committed row', async () => {
  const restarts: string[] = []
  const server = await start({ onRestart: (why) => restarts.push(why) })
  const sql = open(server)
  await sql`create table acknowledged (n int)`
  for (let n = 0; n < 50; n++) await sql`insert into acknowledged values (${n})`
  process.kill(server.pid()!, 'SIGKILL')
  await sql`select 1`.catch(() => undefined)
  let rows: readonly unknown[] = []
  for (let tries = 0; tries < 600 && rows.length === 0; tries++) {
    await delay(100)
    rows = await sql`select n from acknowledged`.catch(() => [])
  }
  expect(rows).toHaveLength(50)
  expect(restarts.join()).toMatch(/ended by itself .*started again/)
})

test('starts with the lock file of an unrelated process, or without content', async () => {
  const cluster = path.join(dataDir, 'postgres', 'data')
  await (await startEmbedded({ dataDir })).stop()
  for (const content of [`${process.pid}\n${cluster}\n`, '', '\0\0']) {
    await writeFile(path.join(cluster, 'postmaster.pid'), content)
    const server = await startEmbedded({ dataDir })
    expect(server.pid()).not.toBe(process.pid)
    await server.stop()
  }
})

test('throws for an orphan that it may not signal', async () => {
  const orphan = spawn('sleep', ['60'], { cwd: dataDir })
  children.push(orphan)
  await writeFile(path.join(dataDir, 'postmaster.pid'), `${orphan.pid}\n`)
  await vi.waitUntil(() => commandOf(orphan.pid!)?.startsWith('sleep'))
  const kill = vi.spyOn(process, 'kill').mockImplementation((pid) => {
    // Ends a start that would otherwise never settle.
    if (kill.mock.calls.length > 3) orphan.kill('SIGKILL')
    throw Object.assign(new Error(`kill EPERM ${pid}`), { code: 'EPERM' })
  })
  try {
    await expect(endOrphan(dataDir)).rejects.toThrow('EPERM')
  } finally {
    kill.mockRestore()
  }
})

test('repeats an interrupted first start; root runs PostgreSQL as another user', async () => {
  await mkdir(path.join(dataDir, 'postgres', 'data.new', 'base'), { recursive: true })
  if (isRoot) execFileSync('chown', ['-R', 'nobody', path.join(dataDir, 'postgres')])
  const server = await start()
  expect(await open(server)`select 1 as n`).toEqual([{ n: 1 }])
  if (isRoot) expect((await stat(`/proc/${server.pid()}`)).uid).not.toBe(0)
})
