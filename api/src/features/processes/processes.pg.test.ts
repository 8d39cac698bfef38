import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { audit } from '@fellowship/schema/audit/audit.contract'
import { processes } from '@fellowship/schema/processes/processes.contract'
import { call } from '@fellowship/sync/call/call'
import { processIdentity } from '../../machine/process/process-identity.ts'
import type { SystemProcess } from '../../machine/process/processes.ts'
import { testApp } from '../../testing/test-app.ts'
import { endStrays, markOf, ownProcesses, strays } from './processes.ts'

const app = await testApp()
const admin = await app.signedIn('admin')
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

const row = (pid: number, parent: number, more: Partial<SystemProcess> = {}): SystemProcess => ({
  pid,
  parent,
  cpu: 0,
  memory: 0,
  startedAt: new Date(pid),
  command: 'node',
  marked: true,
  ...more,
})

/** Starts a process whose parent ends at once; returns its pid. */
async function orphan(mark: string | undefined): Promise<number> {
  const env = { PATH: process.env['PATH'], ...(mark && { FELLOWSHIP_PROCESS_OF: mark }) }
  const parent = spawn('/bin/sh', ['-c', 'sleep 300 & echo $!'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
  parent.stdout.destroy()
  if (parent.exitCode === null) await once(parent, 'exit')
  return Number(printed.toString())
}

test('only marked processes without a parent are strays', () => {
  const self = 100
  const all = [
    row(self, 1),
    row(101, self),
    row(102, 1),
    row(103, 1, { command: '/opt/pg/bin/postgres -D data' }),
    row(104, 1, { marked: false }),
    row(105, 102),
    row(90, 999),
  ]
  expect(strays(all, self).map(({ pid }) => pid)).toEqual([90, 102])
  expect([...ownProcesses(all, self)].toSorted((a, b) => a - b)).toEqual([90, 100, 101, 102, 103, 105])
})

test.runIf(process.platform === 'linux')('lists the processes of the system', async () => {
  const child = spawn('sleep', ['300'], { env: { ...process.env } })
  children.push(child)
  const {
    totalProcesses,
    processLimit,
    bcfProcesses,
    processes: rows,
  } = await call(processes.list, {}, admin)
  expect([processLimit, rows.length]).toEqual([80, totalProcesses])
  const self = rows.find(({ pid }) => pid === process.pid)!
  expect(self.own).toBe(true)
  expect(self.memory).toBeGreaterThan(10_000_000)
  expect(Math.abs(Date.parse(self.startTime) - (Date.now() - process.uptime() * 1000))).toBeLessThan(60_000)
  expect(rows.find(({ pid }) => pid === child.pid)).toMatchObject({ own: true, command: 'sleep 300' })
  expect(bcfProcesses).toBe(rows.filter(({ own }) => own).length)
})

test.runIf(process.platform === 'linux')(
  'ends and audits only this instance’s strays, if too many',
  async () => {
    const mine = await orphan(markOf(app.dataDir))
    const unrelated = [await orphan(undefined), await orphan(markOf('/another/instance'))]
    expect(await endStrays(app.context, { from: 1_000_000 })).toEqual([])
    expect(await endStrays(app.context, { from: 1 })).toEqual([mine])
    await expect.poll(() => isAlive(mine), { timeout: 10_000 }).toBe(false)
    expect(unrelated.map(isAlive)).toEqual([true, true])
    for (const pid of unrelated) process.kill(pid, 'SIGKILL')
    const { lines } = await call(audit.list, { query: { area: 'process', limit: 50 } }, admin)
    expect(lines).toMatchObject([{ actor: 'the product', subject: 'sleep 300', details: { pid: mine } }])
  },
)

const isAlive = (pid: number) => processIdentity(pid) !== undefined
