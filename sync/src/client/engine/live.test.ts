import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { AppDatabase } from '../database/app-database.ts'
import { watch } from './live.ts'

/** Counts the teachings of a database whose first reading fails like this. */
async function counting(failure: Error) {
  const db = new AppDatabase(`watch-${Math.random()}`)
  await db.open()
  const counts: number[] = []
  let readings = 0
  const stop = watch(
    () => {
      readings += 1
      return readings === 1 ? Dexie.Promise.reject(failure) : db.teachings.count()
    },
    (count) => counts.push(count),
  )
  onTestFinished(async () => {
    stop()
    await db.delete()
  })
  return { db, counts, stop, readings: () => readings }
}

test.each([
  ['the system lost it', new DOMException('Connection to Indexed Database server lost', 'UnknownError')],
  ['the browser closed it', new Dexie.DatabaseClosedError()],
])('reports changes after a first failure: %s', async (_, failure) => {
  const { db, counts } = await counting(failure)
  await expect.poll(() => counts, { timeout: 15_000 }).toEqual([0])
  await db.teachings.add(aTeaching())
  await expect.poll(() => counts).toEqual([0, 1])
})

test('calls back and reads no more after it was stopped', async () => {
  const { counts, stop, readings } = await counting(new Error('closed'))
  await expect.poll(readings).toBe(1)
  stop()
  await delay(1_200)
  expect([counts, readings()]).toEqual([[], 1])
})
