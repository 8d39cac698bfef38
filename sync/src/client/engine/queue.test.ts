import { expect, onTestFinished, test } from 'vitest'
import { withoutLeaderLock } from './leader.ts'
import { drainQueue, startQueue, type Queue } from './queue.ts'
import { pause } from './sleep.ts'

interface Entry {
  lane: string
  /** Resolves when it may end. */
  end?: Promise<void>
}

/** A queue in memory; an entry leaves it when it has run. */
function setting(entries: Entry[], width = 2) {
  const running: string[] = []
  const ran: string[] = []
  const queue: Queue<Entry> = {
    width,
    laneOf: ({ lane }) => lane,
    next: async (busy) => ({ entry: entries.find(({ lane }) => !busy.has(lane)) }),
    async run(entry) {
      running.push(entry.lane)
      await entry.end
      entries.splice(entries.indexOf(entry), 1)
      ran.push(entry.lane)
    },
  }
  return { queue, running, ran }
}
const signal = new AbortController().signal
const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

test('runs one entry per lane at a time', async () => {
  const { open, opened } = gate()
  const { queue, running, ran } = setting([
    { lane: 'a', end: opened },
    { lane: 'a' },
    { lane: 'b' },
    { lane: 'b' },
  ])
  const drained = drainQueue(queue, signal)
  await expect.poll(() => ran).toEqual(['b', 'b'])
  expect(running).toEqual(['a', 'b', 'b'])
  open()
  await drained
  expect(ran).toEqual(['b', 'b', 'a', 'a'])
})

test('runs no more lanes at once than its width', async () => {
  const { open, opened } = gate()
  const { queue, running } = setting(
    ['a', 'b', 'c'].map((lane) => ({ lane, end: opened })),
    2,
  )
  const drained = drainQueue(queue, signal)
  await expect.poll(() => running).toEqual(['a', 'b'])
  open()
  await drained
  expect(running).toEqual(['a', 'b', 'c'])
})

test('reads entries again for a freed lane', async () => {
  const { open, opened } = gate()
  const entries: Entry[] = [{ lane: 'a', end: opened }, { lane: 'a' }]
  const { queue, ran } = setting(entries)
  const look = queue.next
  await drainQueue(
    {
      ...queue,
      async next(busy) {
        const next = await look(busy)
        // The first entry ends between this reading and its use.
        if (busy.has('a')) {
          open()
          await expect.poll(() => ran.length > 0).toBe(true)
          await new Promise((resolve) => setTimeout(resolve))
        }
        return next
      },
    },
    signal,
  )
  expect(ran).toEqual(['a', 'a'])
})

test('a drain rejects if an outcome is not stored', async () => {
  const { queue } = setting([{ lane: 'a' }])
  const full = new DOMException('full', 'QuotaExceededError')
  await expect(drainQueue({ ...queue, run: () => Promise.reject(full) }, signal)).rejects.toBe(full)
})

test('retries database failures until its signal aborts', async () => {
  const entries: Entry[] = [{ lane: 'a' }]
  const { queue, ran } = setting(entries)
  let failures = 2
  const next: typeof queue.next = (busy) =>
    (failures -= 1) >= 0 ? Promise.reject(new Error('closed')) : queue.next(busy)
  const waits: number[] = []
  const started = startQueue(
    { ...queue, next },
    {
      now: () => 0,
      withLeaderLock: withoutLeaderLock,
      pause: (ms, woken) => {
        waits.push(ms)
        return ms === Infinity ? pause(ms, woken) : Promise.resolve()
      },
    },
  )
  await expect.poll(() => ran).toEqual(['a'])
  expect(waits.slice(0, 2)).toEqual([1_000, 1_000])
  entries.push({ lane: 'b' })
  started.wake()
  await expect.poll(() => ran).toEqual(['a', 'b'])
  started.stop()
  entries.push({ lane: 'c' })
  started.wake()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(ran).toEqual(['a', 'b'])
})

test('unstored outcomes back off until one is stored', async () => {
  const full = new DOMException('full', 'QuotaExceededError')
  let failures = 12
  let runs = 0
  const waits: number[] = []
  const started = startQueue<Entry>(
    {
      width: 1,
      laneOf: ({ lane }) => lane,
      next: async () => ({ entry: runs < 16 ? { lane: 'a' } : undefined }),
      async run() {
        runs += 1
        if ((failures -= 1) >= 0 || runs === 14) throw full
      },
    },
    {
      now: () => 0,
      withLeaderLock: withoutLeaderLock,
      pause: (ms, woken) => {
        if (ms !== Infinity) waits.push(ms / 1_000)
        return ms === Infinity ? pause(ms, woken) : Promise.resolve()
      },
    },
  )
  onTestFinished(started.stop)
  await expect.poll(() => runs).toBe(16)
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256, 256, 1])
})

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('reuses a lane freed %i steps after waking', async (steps) => {
  const { open, opened } = gate()
  const { queue, running, ran } = setting([{ lane: 'a', end: opened }, { lane: 'a' }], 1)
  const { wake, stop } = startQueue(queue, { now: () => 0, withLeaderLock: withoutLeaderLock, pause })
  onTestFinished(stop)
  await expect.poll(() => running).toEqual(['a'])
  wake()
  for (let step = 0; step < steps; step += 1) await Promise.resolve()
  open()
  await expect.poll(() => ran).toEqual(['a', 'a'])
})
