import 'fake-indexeddb/auto'
import { expect, test, vi } from 'vitest'
import { watchReplicated } from './watch-replicated.ts'

interface Row {
  at: number
}

const noLine = new Error('no line')
const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

/** A promise that the test resolves. */
function promised<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((fulfil, fail) => {
    resolve = fulfil
    reject = fail
  })
  return { promise, resolve, reject }
}

/** A device and a server that answer when the test resolves them. */
function beginning() {
  const copy = promised<readonly Row[] | undefined>()
  const read = vi.fn(() => copy.promise)
  const pulled = promised<void>()
  const told: { onSnapshot?: (page: never) => void } = {}
  const onRows = vi.fn()
  const onFailure = vi.fn()
  const stopPreview = vi.fn()
  const stop = watchReplicated<Row>(
    {
      kind: 'elder',
      read,
      inOrder: (a, b) => a.at - b.at,
      freshMs: 0,
      onRows,
      onFailure,
    },
    {
      pullIfOlder: () => pulled.promise,
      onSnapshot(listener) {
        told.onSnapshot = listener as (page: never) => void
        return stopPreview
      },
    },
  )
  const snapshot = (...rows: Row[]) =>
    told.onSnapshot!({ tables: { elder: { at: rows.map(({ at }) => at) } } } as never)
  return { copy, read, pulled, snapshot, onRows, onFailure, stop, stopPreview }
}

test('reports no failure offline while a slow replica loads', async () => {
  const { copy, pulled, onRows, onFailure } = beginning()
  pulled.reject(noLine)
  await settled()
  expect(onFailure).not.toHaveBeenCalled()
  copy.resolve([{ at: 1 }])
  await vi.waitFor(() => expect(onRows).toHaveBeenCalledExactlyOnceWith([{ at: 1 }]))
  expect(onFailure).not.toHaveBeenCalled()
})

test('an empty replica reports nothing before the answer', async () => {
  const { copy, onFailure } = beginning()
  copy.resolve(undefined)
  await settled()
  expect(onFailure).not.toHaveBeenCalled()
})

test.each(['the server failed first', 'the device was read first'])(
  'reports a failure if neither has the list: %s',
  async (order) => {
    const { copy, pulled, onRows, onFailure } = beginning()
    const steps = [() => pulled.reject(noLine), () => copy.resolve(undefined)]
    for (const step of order.startsWith('the server') ? steps : steps.reverse()) {
      step()
      await settled()
    }
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(noLine)
    expect(onRows).not.toHaveBeenCalled()
  },
)

test('reports an unreadable database whatever the server answers', async () => {
  const { copy, onRows, onFailure } = beginning()
  // The replica is read a moment later.
  await settled()
  const gone = new Error('the database is gone')
  copy.reject(gone)
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledExactlyOnceWith(gone))
  expect(onRows).not.toHaveBeenCalled()
})

test('shows rows and changes once the database is readable', async () => {
  const { copy, read, onRows, onFailure } = beginning()
  // The replica is read a moment later.
  await settled()
  const lost = new Error('Connection to Indexed Database server lost')
  copy.reject(lost)
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledExactlyOnceWith(lost))
  read.mockResolvedValue([{ at: 1 }])
  await vi.waitFor(() => expect(onRows).toHaveBeenCalledExactlyOnceWith([{ at: 1 }]))
  expect(onFailure).toHaveBeenCalledOnce()
})

test('shows a first copy while it is written', async () => {
  const { copy, snapshot, onRows } = beginning()
  snapshot({ at: 2 }, { at: 1 })
  expect(onRows).toHaveBeenCalledExactlyOnceWith([{ at: 1 }, { at: 2 }])
  snapshot({ at: 3 })
  expect(onRows).toHaveBeenCalledOnce()
  copy.resolve([{ at: 3 }])
  await vi.waitFor(() => expect(onRows).toHaveBeenLastCalledWith([{ at: 3 }]))
})

test('keeps the previewed rows when the snapshot cannot be stored', async () => {
  const { copy, pulled, snapshot, onFailure } = beginning()
  snapshot({ at: 1 })
  copy.resolve(undefined)
  pulled.reject(new Error('the device is full'))
  await settled()
  expect(onFailure).not.toHaveBeenCalled()
})

test('reports nothing after it was stopped', async () => {
  const { copy, onRows, stop, stopPreview } = beginning()
  stop()
  copy.resolve([{ at: 1 }])
  await settled()
  expect(onRows).not.toHaveBeenCalled()
  expect(stopPreview).toHaveBeenCalledOnce()
})
