import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { workerPool, workerWithHeap } from './worker-pool.ts'

/** Obeys its message, and counts the jobs that run at once. */
const code = `
import { parentPort, workerData } from 'node:worker_threads'
parentPort.on('message', ({ task, shared }) => {
  const counts = shared && new Int32Array(shared)
  if (counts) {
    const running = Atomics.add(counts, 0, 1) + 1
    if (running > Atomics.load(counts, 1)) Atomics.store(counts, 1, running)
    Atomics.wait(counts, 2, 0, 20)
    Atomics.sub(counts, 0, 1)
  }
  if (task === 'spin') for (;;);
  if (task === 'hoard') for (const all = []; ; ) all.push(new Array(10000).fill({}))
  if (task === 'throw') throw new TypeError('broken')
  if (task === 'exit') process.exit(1)
  parentPort.postMessage(task)
})`
const file = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
const start = () => workerWithHeap(file, 32)
const pool = workerPool(start, { size: 2, seconds: 600 })
const oneSecondPool = workerPool(start, { size: 2, seconds: 1 })

test.each([
  ['that never ends', 'spin', { reason: 'time' }, oneSecondPool],
  ['that takes all memory', 'hoard', { reason: 'memory' }, pool],
  ['that throws', 'throw', { message: 'broken' }, pool],
  ['that ends the worker', 'exit', { message: 'The worker ended.' }, pool],
])('ends a job %s, and the next ones get answers', async (_, task, error, workers) => {
  await expect(workers.run({ task })).rejects.toMatchObject(error)
  const answers = ['a', 'b', 'c'].map((each) => workers.run({ task: each }))
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c'])
})

test('ends the running or waiting job of a gone caller', async () => {
  const patient = workerPool(start, { size: 1, seconds: 600 })
  const [first, second] = [new AbortController(), new AbortController()]
  const running = patient.run({ task: 'spin' }, first.signal)
  const waiting = patient.run({ task: 'spin' }, second.signal)
  const last = patient.run({ task: 'last' })
  second.abort()
  await expect(waiting).rejects.toMatchObject({ reason: 'caller gone' })
  first.abort()
  await expect(running).rejects.toMatchObject({ reason: 'caller gone' })
  expect(await last).toBe('last')
  await expect(patient.run({ task: 'late' }, first.signal)).rejects.toMatchObject({ reason: 'caller gone' })
})

test('leaves no listener at a signal that outlives the job', async () => {
  const { signal } = new AbortController()
  await pool.run({ task: 'a' }, signal)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('runs two jobs at once and never more', async () => {
  const shared = new SharedArrayBuffer(12)
  await Promise.all(Array.from({ length: 12 }, () => pool.run({ task: 'a', shared })))
  expect(new Int32Array(shared)[1]).toBe(2)
})

test('ends an idle worker and starts another for the next job', async () => {
  let started = 0
  const ended: Promise<unknown>[] = []
  const resting = workerPool(
    () => {
      started += 1
      const worker = start()
      ended.push(
        new Promise<void>((resolve) =>
          worker.listen({
            answered: () => undefined,
            progressed: () => undefined,
            failed: () => undefined,
            ended: () => resolve(),
          }),
        ),
      )
      return worker
    },
    { size: 1, seconds: 600, idleSeconds: 0.05 },
  )
  expect(await resting.run({ task: 'a' })).toBe('a')
  await ended[0]
  expect(await resting.run({ task: 'b' })).toBe('b')
  expect(started).toBe(2)
})
