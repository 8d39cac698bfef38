import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { church } from '@fellowship/schema/church'
import { bin, teachings } from '@fellowship/schema/teachings/teachings.contract'
import { system } from '@fellowship/schema/system/system.contract'
import { call } from '@fellowship/sync/call/call'
import { purgeOldRecordings } from '../features/audio/audio.ts'
import { listInbox, receiveArrival, sweepInbox } from '../features/inbox/inbox.ts'
import { columnsOf, insertTeaching } from '../features/teachings/teachings.ts'
import { letDaysPass } from '../testing/test-db.ts'
import { fixture } from '../testing/multipart.ts'
import { refusal } from '../testing/test-client.ts'
import { testApp } from '../testing/test-app.ts'
import { clockWatch } from './age-sweeps.ts'

const app = await testApp()
const { context, clock } = app
const { sql } = context
const admin = await app.signedIn('admin')
const user = await app.signedIn('user')
const folder = await mkdtemp(path.join(tmpdir(), 'sweeps-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const mp3 = await fixture('cbr.mp3')

beforeEach(async () => {
  for (const table of ['clock_watch', 'held_sweeps', 'teachings', 'audit_log'] as const)
    await sql`delete from ${sql(table)}`
  await sql`delete from inbox`
})

/** A recording that arrives under a name without a date or speaker, so that it waits in the Inbox. */
async function arrive(name: string): Promise<void> {
  const file = path.join(folder, name)
  await writeFile(file, mp3)
  await receiveArrival(context, { filename: name, file, bytes: mp3.length })
}
async function deleted(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const columns = columnsOf({
      title: `No ${at}`,
      speaker: 'Sam',
      date: '2026-11-22',
      scriptureReference: '',
    })
    const { id } = await sql.begin((tx) => insertTeaching(tx, columns))
    await call(teachings.remove, { params: { id }, query: {} }, user)
  }
}
const inBin = async () => (await call(bin.list, {}, admin)).length
const line = async () => (await call(system.info, {}, admin)).health.find(({ id }) => id === 'sweeps')
const goOn = () => call(system.goOn, {}, admin)

test('only an administrator may let removals go on', async () => {
  expect((await refusal(call(system.goOn, {}, user))).status).toBe(403)
  expect((await refusal(call(system.goOn, {}, app.client()))).status).toBe(401)
})

test('rows made under a wrong server clock stay thirty days', async () => {
  const now = clock.now().toISOString()
  clock.set('2000-01-01T00:05:00Z')
  await arrive('sermon.mp3')
  clock.set(now)
  await deleted(1)
  await sql`delete from held_sweeps`
  clock.advance(365 * 24 * 60 * 60_000)
  await sweepInbox(context)
  await purgeOldRecordings(context)
  expect(await listInbox(context)).toHaveLength(1)
  expect(await sql`select 1 from teachings`).toHaveLength(1)
  clock.set(now)
})

describe('a removal of more than a fifth', () => {
  test('stops, shows in System Info, and continues after Go on', async () => {
    await deleted(4)
    await letDaysPass(sql, 31)
    await deleted(5)
    expect(await line()).toBeUndefined()
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(9)
    expect(await line()).toMatchObject({
      state: 'attention',
      sentence: '4 of 9 deleted teachings would be removed now.',
      action: 'go_on',
    })
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(9)

    await goOn()
    expect(await line()).toBeUndefined()
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(5)
    expect(await sql`select actor, subject from audit_log where action = 'sweep.continued'`).toEqual([
      { actor: 'A admin', subject: '4 of 9 deleted teachings' },
    ])
  })

  test('Go on covers one day and one batch', async () => {
    await deleted(4)
    await letDaysPass(sql, 31)
    await purgeOldRecordings(context)
    await goOn()
    await letDaysPass(sql, 2)
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(4)
    await goOn()
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(0)
    await deleted(4)
    await letDaysPass(sql, 31)
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(4)
  })

  test('does not stop three or fewer, nor one of many', async () => {
    await arrive('one.mp3')
    await arrive('two.mp3')
    await letDaysPass(sql, 31)
    await sweepInbox(context)
    expect(await listInbox(context)).toEqual([])
    await deleted(4)
    await letDaysPass(sql, 31)
    await deleted(16)
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(16)
  })
})

describe('a jump of the clock', () => {
  const hour = 60 * 60_000
  /** A watch whose steady clock has advanced less, or more, than the database's. */
  async function jumpBy(ms: number): Promise<void> {
    let steady = 10 * 365 * 24 * hour
    const look = clockWatch(sql, () => steady)
    await look()
    steady -= ms
    await look()
  }

  test.each([
    [2 * hour, 'forward by 2 hours'],
    [-31 * 24 * hour, 'back by 31 days'],
  ])('a jump of %d ms stops removals until confirmed', async (ms, words) => {
    await deleted(1)
    await letDaysPass(sql, 31)
    await jumpBy(ms)
    await purgeOldRecordings(context)
    await sweepInbox(context)
    expect(await inBin()).toBe(1)
    const told = await line()
    expect(told?.sentence).toContain(words)
    expect(told?.sentence).toContain('1 of 1 deleted teaching would be removed now.')
    await goOn()
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(0)
  })

  test('a jump of the database’s clock alone shows its time', async () => {
    const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
    const day = new Intl.DateTimeFormat('en-NZ', { dateStyle: 'full', timeZone: church().timeZone })
    const ours = clock.now().toISOString()
    clock.set('2000-01-01T00:05:00Z')
    await jumpBy(2 * hour)
    expect((await line())?.advice).toContain(`The server says it is ${day.format(row!.now)} at `)
    clock.set(ours)
  })

  test('a jump of less than an hour stops nothing', async () => {
    await deleted(1)
    await letDaysPass(sql, 31)
    await jumpBy(hour / 2)
    await purgeOldRecordings(context)
    expect(await inBin()).toBe(0)
  })

  test('notices a clock set back across a restart', async () => {
    await clockWatch(sql)()
    expect(await line()).toBeUndefined()
    await sql`update clock_watch set seen_at = now() + interval '3 hours'`
    await clockWatch(sql)()
    expect((await line())?.sentence).toContain('back by 3 hours')
  })

  test('a year without running is no jump', async () => {
    await clockWatch(sql)()
    await sql`update clock_watch set seen_at = now() - interval '1 year'`
    await clockWatch(sql)()
    expect(await line()).toBeUndefined()
  })
})
