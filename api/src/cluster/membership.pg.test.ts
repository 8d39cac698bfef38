import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createLog, type Log } from '../machine/log.ts'
import { secretsUnder } from '../machine/secrets.ts'
import { testDatabase } from '../testing/test-db.ts'
import { connect } from '../db/connection.ts'
import { databaseLocks } from '../db/locks.ts'
import { clusterNode } from './cluster.ts'
import type { ProcessFacts } from './membership.ts'

const { sql, place } = await testDatabase()
const context = { sql, log: createLog('silent'), lifecycle: { draining: false } }
const factsOf = (changes: Partial<ProcessFacts> = {}): ProcessFacts => ({
  bucket: 'recordings at s3.example.org',
  secrets: secretsUnder('s'.repeat(64)),
  ...changes,
})
const patience = { stoppingMs: 20_000, endingMs: 0 }

async function start(facts = factsOf(), id: string = randomUUID()) {
  const locks = await databaseLocks(place, sql)
  onTestFinished(() => locks.close())
  const node = clusterNode({ ...context, locks }, id)
  // Heartbeats are written only on request while the test runs.
  await node.join(facts, { beatMs: 2 ** 30, patience })
  onTestFinished(() => node.leave())
  return { ...node, locks }
}
/** Ends its locks, as a kill does; PostgreSQL frees its key a moment later. */
async function kill({ locks, process }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const locksBeside = await databaseLocks(place, sql)
  onTestFinished(() => locksBeside.close())
  await locks.close()
  await expect.poll(() => locksBeside.isAlive(process)).toBe(false)
}
/** As if its process were frozen or its machine had lost power: its locks may still be held. */
const silence = (id: string) => sql`
  update server_processes set seen_at = clock_timestamp() - interval '31 seconds' where workshop = ${id}`

test('refuses a process that does not match a running one', async () => {
  await start()
  const alone = factsOf({ bucket: null })
  await expect(start(alone)).rejects.toThrow('this one keeps recordings on its own disk')
  expect(await sql`select 1 from server_processes`).toHaveLength(1)
})

test('starts one of two mismatched processes that start together', async () => {
  const results = await Promise.allSettled([
    start(factsOf({ bucket: null })),
    start(factsOf({ bucket: null })),
  ])
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a killed process does not block its successor', async () => {
  const killed = await start(factsOf({ bucket: null }))
  await kill(killed)
  await start(factsOf({ bucket: null }), killed.id)
  expect(await sql`select 1 from server_processes`).toHaveLength(2)
})

test('a powerless machine blocks others for half a minute only', async () => {
  const gone = await start(factsOf({ bucket: null }))
  await silence(gone.id)
  await start(factsOf({ bucket: null }))
})

test('a successor waits while its predecessor finishes requests', async () => {
  const before = await start()
  await before.announceEnd()
  let isStarted = false
  const starting = start(factsOf(), before.id).then(() => (isStarted = true))
  await expect
    .poll(() => sql`select 1 from pg_stat_activity where query like '%server_processes%'`)
    .not.toHaveLength(0)
  expect(isStarted).toBe(false)
  await before.leave()
  expect(await starting).toBe(true)
})

test('the lease moves when its holder ends or falls silent', async () => {
  const [one, two, three] = [await start(), await start(), await start()]
  const leaders = async () => {
    const answers = []
    for (const node of [one, two, three]) answers.push(await node.leads('schedule'))
    return answers
  }
  expect(await leaders()).toEqual([true, false, false])
  expect(await leaders()).toEqual([true, false, false])
  await silence(one.id)
  expect(await two.leads('schedule')).toBe(true)
  expect(await one.leads('schedule')).toBe(false)
  await two.leave()
  expect(await leaders()).toEqual([true, false, false])
  expect(await two.leads('schedule')).toBe(false)
})

test('grants a free lease to one of five processes', async () => {
  const many = await Promise.all(Array.from({ length: 5 }, () => start()))
  const answers = await Promise.all(many.map((node) => node.leads('schedule')))
  expect(answers.filter(Boolean)).toHaveLength(1)
})

test('another folder counts as served while heartbeats arrive', async () => {
  const node = await start()
  const { id } = node
  const beside = await start()
  const isServed = (nodeId: string | null) => beside.isOwnedElsewhere({ nodeId })
  expect(await isServed(id)).toBe(true)
  expect(await node.isOwnedElsewhere({ nodeId: id })).toBe(false)
  expect(await isServed(null)).toBe(false)
  expect(await isServed(randomUUID())).toBe(false)
  await silence(id)
  expect(await isServed(id)).toBe(false)
  await sql`update server_processes set seen_at = clock_timestamp() - interval '2 days' where workshop = ${id}`
  await beside.forgetEndedProcesses()
  expect(await sql`select 1 from server_processes where workshop = ${id}`).toEqual([])
  const killed = await start()
  await kill(killed)
  expect(await isServed(killed.id)).toBe(false)
})

test('heartbeats repeat, even if their row was deleted', async () => {
  const locks = await databaseLocks(place, sql)
  onTestFinished(() => locks.close())
  const node = clusterNode({ ...context, locks }, randomUUID())
  await node.join(factsOf(), { beatMs: 50 })
  onTestFinished(() => node.leave())
  const beside = clusterNode({ ...context, locks }, randomUUID())
  await silence(node.id)
  await expect.poll(() => beside.isOwnedElsewhere({ nodeId: node.id })).toBe(true)
  await sql`delete from server_processes`
  await expect.poll(() => beside.isOwnedElsewhere({ nodeId: node.id })).toBe(true)
})

test.each([
  [
    'logs a warning with its cause',
    false,
    ['warn', { err: expect.any(Error) as unknown }, 'a heartbeat failed'],
  ],
  [
    'logs no fault while the process stops',
    true,
    ['info', { code: 'CONNECTION_ENDED' }, 'a heartbeat failed, as the database ended too'],
  ],
])('an unanswered heartbeat %s', async (_, draining, line) => {
  const locks = await databaseLocks(place, sql)
  onTestFinished(() => locks.close())
  const lost = connect(place, { max: 1 })
  const lines: unknown[] = []
  const write = (level: string) => (about: object, sentence: string) => lines.push([level, about, sentence])
  const log = { info: write('info'), warn: write('warn') } as unknown as Log
  const node = clusterNode({ sql: lost, locks, log, lifecycle: { draining } }, randomUUID())
  await node.join(factsOf(), { beatMs: 20 })
  onTestFinished(() => node.leave().catch(() => undefined))
  await lost.end()
  await expect.poll(() => lines.length).toBeGreaterThan(0)
  expect(lines[0]).toEqual(line)
})
