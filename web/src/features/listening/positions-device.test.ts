import 'fake-indexeddb/auto'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { expect, test, vi } from 'vitest'
import { note, watchPositions } from './positions.device.ts'
import type { Positions } from './positions-state.ts'

test('reports positions later if the first read fails', async () => {
  await note('a', { seconds: 700, duration: 2_530, at: 1 })
  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  vi.spyOn(appDatabase().positions, 'toArray').mockImplementationOnce(() => {
    throw lost
  })
  const seen: Positions[] = []
  await watchPositions((positions) => seen.push(positions))
  expect(seen).toEqual([new Map()])
  await expect.poll(() => seen.at(-1)?.get('a')?.seconds).toBe(700)
})
