import 'fake-indexeddb/auto'
import { expect, onTestFinished, test } from 'vitest'
import { AudioDatabase } from '../client/database/audio-database.ts'
import { cutPowerAt, fillDeviceAt } from './crash.ts'

// A fault that is not there passes every test of it.
test.each([
  ['a cut of power', (db: AudioDatabase) => cutPowerAt(db, 1), 'PowerCut'],
  ['a full device', (db: AudioDatabase) => fillDeviceAt(db, 1, 1), 'QuotaExceededError'],
])('%s meets a database that is open already, at the write it was set for', async (_, spoil, name) => {
  const db = new AudioDatabase(`crash-${Math.random()}`)
  onTestFinished(() => db.delete())
  await db.open()
  const write = (count: number) => db.wishes.put({ kind: 'newest', count })
  spoil(db)
  await write(1)
  await expect(write(2)).rejects.toMatchObject({ name })
  expect(await db.wishes.toArray()).toEqual([{ kind: 'newest', count: 1 }])
})
