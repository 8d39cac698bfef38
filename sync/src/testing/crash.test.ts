import 'fake-indexeddb/auto'
import { expect, onTestFinished, test } from 'vitest'
import { AudioDatabase } from '../client/database/audio-database.ts'
import { cutPowerAt, fillDeviceAt } from './crash.ts'

// Checks the fault itself, as every test using it would pass if it were never injected.
test.each([
  ['a power cut', (db: AudioDatabase) => cutPowerAt(db, 1), 'PowerCut'],
  ['a full device', (db: AudioDatabase) => fillDeviceAt(db, 1, 1), 'QuotaExceededError'],
])('%s fails exactly the chosen write', async (_, injectFault, name) => {
  const db = new AudioDatabase(`crash-${Math.random()}`)
  onTestFinished(() => db.delete())
  await db.open()
  const write = (count: number) => db.wishes.put({ kind: 'newest', count })
  injectFault(db)
  await write(1)
  await expect(write(2)).rejects.toMatchObject({ name })
  expect(await db.wishes.toArray()).toEqual([{ kind: 'newest', count: 1 }])
})
