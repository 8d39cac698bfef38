import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../testing/test-db.ts'
import { databaseLocks } from './locks.ts'

const { sql, place } = await testDatabase()
const here = await databaseLocks(place, sql)
const there = await databaseLocks(place, sql)
afterAll(async () => {
  await here.close()
  await there.close()
})

const nothing = () => undefined

test('one process and one caller hold a key', async () => {
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise((resolve) => setTimeout(resolve, 5))
    inside -= 1
  }
  await Promise.all(Array.from({ length: 12 }, (_, at) => (at % 2 ? here : there).run('one', work)))
  expect(most).toBe(1)
  await Promise.all(['two', 'three'].map((key) => here.run(key, work)))
  expect(most).toBe(2)
})

test('notifies the holder of a waiter, which can abort', async () => {
  let contended = false
  const release = await here.take('told', () => (contended = true))
  const over = new AbortController()
  const waiting = there.take('told', nothing, over.signal)
  waiting.catch(nothing)
  await expect.poll(() => contended).toBe(true)
  over.abort(new Error('given up'))
  await expect(waiting).rejects.toThrow()
  expect(await there.tryRun('told', () => Promise.resolve('ran'))).toBeUndefined()
  release()
  await expect.poll(() => there.tryRun('told', () => Promise.resolve('ran'))).toBe('ran')
  const again = await here.take('told', nothing)
  again()
})

test('only one of two simultaneous tries runs', async () => {
  const tried = await Promise.all([1, 2].map((turn) => here.tryRun('both', () => Promise.resolve(turn))))
  expect(tried).toEqual([1, undefined])
  expect(await there.tryRun('both', () => Promise.resolve(3))).toBe(3)
})

test('work that fails releases its key', async () => {
  await expect(here.run('fails', () => Promise.reject(new Error('x')))).rejects.toThrow('x')
  expect(await there.run('fails', () => Promise.resolve(1))).toBe(1)
})

test('a process is alive until it has ended', async () => {
  const third = await databaseLocks(place, sql)
  expect([await here.isAlive(here.owner), await here.isAlive(third.owner)]).toEqual([true, true])
  await third.close()
  expect(await here.isAlive(third.owner)).toBe(false)
  expect(await here.isAlive('nobody')).toBe(false)
})

test('a process with an ended session loses its keys', async () => {
  let isLost = false
  const release = await here.take('lost', () => (isLost = true))
  const ended = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where pid in (
      select pid from pg_locks where locktype = 'advisory'
        and (classid::int8 << 32 | objid::int8) = hashtextextended(${here.owner}, 0))`
  expect(ended).toHaveLength(1)
  await expect.poll(() => isLost).toBe(true)
  await expect.poll(() => there.isAlive(here.owner)).toBe(true)
  release()
  expect(await here.run('lost', () => Promise.resolve('again'))).toBe('again')
})
