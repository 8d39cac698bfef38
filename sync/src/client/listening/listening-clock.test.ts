import 'fake-indexeddb/auto'
import { expect, onTestFinished, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { measuredBehind, readBehind, stamped, writeBehind } from './listening-clock.ts'

/** A request of two seconds, while the server's clock was ahead by this. */
const reading = (ahead: number) => ({ sent: 10_000, received: 12_000, server: 11_000 + ahead })

test.each([
  ['nothing was known: what was measured', undefined, 1, 1],
  ['nothing was known, and both clocks are the same', undefined, 0, 0],
  ['within half of the request and a second: what was known', 0, 2_000, 0],
  ['the same, backwards', 500, -1_500, 500],
  ['by a millisecond more: what was measured', 0, 2_001, 2_001],
  ['the same, backwards', 500, -1_501, -1_501],
])('by how much a device’s clock is behind: %s', (_, known, ahead, behind) => {
  expect(measuredBehind(known, reading(ahead))).toBe(behind)
})

test('a moment is stamped by the server’s clock as far as it is known, and is never before the epoch', async () => {
  const db = new AppDatabase(`clock-${Math.random()}`)
  onTestFinished(() => db.delete())
  expect([await readBehind(db), await stamped(db, 700)]).toEqual([undefined, 700])
  await writeBehind(db, 300)
  expect([await readBehind(db), await stamped(db, 700)]).toEqual([300, 1_000])
  await writeBehind(db, -800)
  expect(await stamped(db, 700)).toBe(0)
})
