import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { watchRemoval } from './removal.device.ts'

const hope = aTeaching({ id: 1, uid: 'a', title: 'Hope' })
const other = aTeaching({ id: 2, uid: 'b', title: 'Grace' })
const { teachings } = appDatabase()

beforeEach(() => teachings.clear())

/** Watches one teaching, beside a query that reports after it. */
function watched() {
  const removed = vi.fn()
  onTestFinished(watchRemoval(hope.uid, removed))
  const settle = () => new Promise((resolve) => setTimeout(resolve, 30))
  return { removed, settle }
}

test('tells once that a teaching has left the library', async () => {
  await teachings.bulkPut([hope, other])
  const { removed, settle } = watched()
  await settle()
  await teachings.put({ ...hope, title: 'A living hope' })
  await teachings.delete(other.uid)
  await settle()
  expect(removed).not.toHaveBeenCalled()
  await teachings.delete(hope.uid)
  await vi.waitFor(() => expect(removed).toHaveBeenCalledTimes(1))
  await teachings.put(other)
  await settle()
  expect(removed).toHaveBeenCalledTimes(1)
})

test('tells nothing of a teaching that was never there', async () => {
  const { removed, settle } = watched()
  await settle()
  await teachings.put(other)
  await settle()
  expect(removed).not.toHaveBeenCalled()
  await teachings.put(hope)
  await settle()
  await teachings.delete(hope.uid)
  await vi.waitFor(() => expect(removed).toHaveBeenCalledTimes(1))
})
