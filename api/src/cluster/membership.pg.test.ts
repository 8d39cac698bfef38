import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createLog, type Log } from '../machine/log.ts'
import { secretsUnder } from '../machine/secrets.ts'
import { testDatabase } from '../testing/test-db.ts'
import { connect } from '../db/connection.ts'
import { databaseLocks } from '../db/locks.ts'
import type { ProcessFacts } from './process-refusals.ts'
import { forgetEndedProcesses, isWorkshopServed, joinProcesses } from './membership.ts'

const { sql, place } = await testDatabase()
const context = { sql, log: createLog('silent'), lifecycle: { draining: false } }
const factsOf = (changes: Partial<ProcessFacts> = {}): ProcessFacts => ({
  workshop: randomUUID(),
  bucket: 'recordings at s3.example.org',
  secrets: secretsUnder('s'.repeat(64)),
  ...changes,
})
const patience = { stoppingMs: 20_000, endingMs: 0 }

async function start(facts = factsOf()) {
  const locks = await databaseLocks(place, sql)
  onTestFinished(() => locks.close())
  // No heartbeat while the test runs, but those it asks for.
  const peers = await joinProcesses({ ...context, locks }, facts, { beatMs: 2 ** 30, patience })
  onTestFinished(() => peers.end())
  return { ...peers, locks, workshop: facts.workshop }
}
/** As when its process was frozen, or its machine lost its power: its locks may still be held. */
const silence = (workshop: string) => sql`
  update server_processes set seen_at = clock_timestamp() - interval '31 seconds' where workshop = ${workshop}`

test('a process that does not fit beside one that runs is refused, and not noted', async () => {
  await start()
  const alone = factsOf({ bucket: null })
  await expect(start(alone)).rejects.toThrow('this one keeps recordings on its own disk')
  expect(await sql`select 1 from server_processes`).toHaveLength(1)
})

test('of two that start at once and do not fit, one starts', async () => {
  const results = await Promise.allSettled([
    start(factsOf({ bucket: null })),
    start(factsOf({ bucket: null })),
  ])
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a killed process refuses nobody, although its last heartbeat is young', async () => {
  const facts = factsOf({ bucket: null })
  const killed = await start(facts)
  await killed.locks.close()
  await start(facts)
  expect(await sql`select 1 from server_processes`).toHaveLength(2)
})

test('a machine without power refuses nobody after half a minute, although its locks are still held', async () => {
  const gone = await start(factsOf({ bucket: null }))
  await silence(gone.workshop)
  await start(factsOf({ bucket: null }))
})

test('the successor of a process that finishes its requests waits for its end', async () => {
  const facts = factsOf({ bucket: null })
  const before = await start(facts)
  await before.stopping()
  let isStarted = false
  const starting = start(facts).then(() => (isStarted = true))
  await expect
    .poll(() => sql`select 1 from pg_stat_activity where query like '%server_processes%'`)
    .not.toHaveLength(0)
  expect(isStarted).toBe(false)
  await before.end()
  expect(await starting).toBe(true)
})

test('one process leads; after its end, or half a minute without a heartbeat, another one does', async () => {
  const [one, two, three] = [await start(), await start(), await start()]
  const leaders = async () => {
    const answers = []
    for (const peers of [one, two, three]) answers.push(await peers.leads('schedule'))
    return answers
  }
  expect(await leaders()).toEqual([true, false, false])
  expect(await leaders()).toEqual([true, false, false])
  await silence(one.workshop)
  expect(await two.leads('schedule')).toBe(true)
  expect(await one.leads('schedule')).toBe(false)
  await two.end()
  expect(await leaders()).toEqual([true, false, false])
  expect(await two.leads('schedule')).toBe(false)
})

test('of many that ask for a free lease at once, one gets it', async () => {
  const many = await Promise.all(Array.from({ length: 5 }, () => start()))
  const answers = await Promise.all(many.map((peers) => peers.leads('schedule')))
  expect(answers.filter(Boolean)).toHaveLength(1)
})

test('a data folder is served while its process sends heartbeats', async () => {
  const { workshop } = await start()
  const other = await databaseLocks(place, sql)
  onTestFinished(() => other.close())
  const served = (name: string) => isWorkshopServed({ sql, locks: other }, name)
  expect(await served(workshop)).toBe(true)
  expect(await served(randomUUID())).toBe(false)
  await silence(workshop)
  expect(await served(workshop)).toBe(false)
  await sql`update server_processes set seen_at = clock_timestamp() - interval '2 days' where workshop = ${workshop}`
  await forgetEndedProcesses(sql)
  expect(await sql`select 1 from server_processes where workshop = ${workshop}`).toEqual([])
  const killed = await start()
  await killed.locks.close()
  expect(await served(killed.workshop)).toBe(false)
})

test('heartbeats come by themselves, also where the row was removed', async () => {
  const locks = await databaseLocks(place, sql)
  onTestFinished(() => locks.close())
  const facts = factsOf()
  const peers = await joinProcesses({ ...context, locks }, facts, { beatMs: 50 })
  onTestFinished(() => peers.end())
  await silence(facts.workshop)
  await expect.poll(() => isWorkshopServed({ sql, locks }, facts.workshop)).toBe(true)
  await sql`delete from server_processes`
  await expect.poll(() => isWorkshopServed({ sql, locks }, facts.workshop)).toBe(true)
})

test.each([
  [
    'is a warning with its cause',
    false,
    ['warn', { err: expect.any(Error) as unknown }, 'a heartbeat failed'],
  ],
  [
    'is no fault while the process stops, as both are ended at once',
    true,
    ['info', { code: 'CONNECTION_ENDED' }, 'a heartbeat failed, as the database ended too'],
  ],
])('a heartbeat that the database does not answer %s', async (_, draining, line) => {
  const locks = await databaseLocks(place, sql)
  onTestFinished(() => locks.close())
  const lost = connect(place, { max: 1 })
  const lines: unknown[] = []
  const write = (level: string) => (about: object, sentence: string) => lines.push([level, about, sentence])
  const log = { info: write('info'), warn: write('warn') } as unknown as Log
  const joined = { sql: lost, locks, log, lifecycle: { draining } }
  const peers = await joinProcesses(joined, factsOf(), { beatMs: 20 })
  onTestFinished(() => peers.end().catch(() => undefined))
  await lost.end()
  await expect.poll(() => lines.length).toBeGreaterThan(0)
  expect(lines[0]).toEqual(line)
})
