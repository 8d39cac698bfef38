import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { Dexie } from 'dexie'
import { expect, test } from 'vitest'
import { installTabGlobals, TabLocks } from '../../testing/tab-globals.ts'
import { inTab, VirtualTime } from '../../testing/virtual-time.ts'
import { AppDatabase, writerSchema } from '../database/app-database.ts'
import { OutdatedPage } from '../database/database-trouble.ts'
import { appendDelete } from '../outbox/outbox.ts'
import { withLeaderLock } from './leader.ts'

/** Tabs of one device that want to lead, in a time of their own. */
async function device(
  run: (tabs: {
    open: () => { isClosed: boolean; isFrozen: boolean; leads: boolean; stop: () => void; db: AppDatabase }
    pass: (ms: number) => Promise<void>
  }) => Promise<void>,
): Promise<void> {
  const restore = installTabGlobals(new TabLocks())
  const name = `leader-${Math.random()}`
  const open = () => {
    const tab = {
      isClosed: false,
      isFrozen: false,
      leads: false,
      stop: () => {},
      db: new AppDatabase(name),
    }
    tab.stop = inTab(tab, () =>
      withLeaderLock('work', tab.db, async (signal) => {
        if (signal.aborted) return
        tab.leads = true
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        tab.leads = false
      }),
    )
    return tab
  }
  try {
    const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    await new VirtualTime().during(() => run({ open, pass }))
    await new AppDatabase(name).delete()
  } finally {
    restore()
  }
}

test('a tab that was stopped while it waited never leads', () =>
  device(async ({ open, pass }) => {
    const [first, second] = [open(), open()]
    await pass(1_000)
    second.stop()
    first.stop()
    await pass(120_000)
    expect([first.leads, second.leads]).toEqual([false, false])
  }))

test('one tab leads until it stops', () =>
  device(async ({ open, pass }) => {
    const [first, second, third] = [open(), open(), open()]
    await pass(600_000)
    expect([first.leads, second.leads, third.leads]).toEqual([true, false, false])
    first.stop()
    await pass(1)
    expect([first.leads, second.leads, third.leads]).toEqual([false, true, false])
  }))

test('replaces a frozen leader within a minute', () =>
  device(async ({ open, pass }) => {
    const [first, second] = [open(), open()]
    await pass(1_000)
    first.isFrozen = true
    await pass(60_000)
    expect(second.leads).toBe(true)
    first.isFrozen = false
    await pass(600_000)
    expect([first.leads, second.leads]).toEqual([false, true])
  }))

test('every tab leads if the browser has no locks', () =>
  device(async ({ open, pass }) => {
    Object.assign(navigator, { locks: undefined })
    const [first, second] = [open(), open()]
    await pass(1_000)
    expect([first.leads, second.leads]).toEqual([true, true])
    first.stop()
    await pass(1)
    expect([first.leads, second.leads]).toEqual([false, true])
    second.stop()
  }))

test('a hidden page does not take the lock', () =>
  device(async ({ open, pass }) => {
    const [first, second] = [open(), open()]
    Object.assign(document, { visibilityState: 'hidden' })
    await pass(1_000)
    first.isFrozen = true
    await pass(600_000)
    expect(second.leads).toBe(false)
    Object.assign(document, { visibilityState: 'visible' })
    await pass(60_000)
    expect(second.leads).toBe(true)
  }))

test.each([
  [
    'has upgraded the database',
    async ({ name }: AppDatabase) => {
      const newer = new Dexie(name)
      newer.version(9_000).stores({})
      await newer.open()
      newer.close()
    },
  ],
  [
    'has changed the shape of the rows',
    async (db: AppDatabase) => {
      await db.meta.put({ key: 'minWriterSchema', value: writerSchema + 1 })
      await expect(appendDelete(db, aTeaching(), { userId: 7, now: 1 })).rejects.toThrow(OutdatedPage)
    },
  ],
])('a leader yields to a newer build that %s', (_, outdate) =>
  device(async ({ open, pass }) => {
    const first = open()
    await first.db.open()
    await pass(1_000)
    const second = open()
    await pass(1_000)
    await outdate(first.db)
    await pass(1_000)
    expect([first.leads, second.leads]).toEqual([false, true])
    second.stop()
    await pass(120_000)
    expect(first.leads).toBe(false)
  }),
)
