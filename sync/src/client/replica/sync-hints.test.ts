import 'fake-indexeddb/auto'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenForHints } from './sync-hints.ts'

/** The browser's event stream, as far as it is used; a test says what happens to it. */
class Stream extends EventTarget {
  static readonly CLOSED = 2
  static all: Stream[] = []
  readyState = 1
  readonly address: string

  constructor(address: string) {
    super()
    this.address = address
    Stream.all.push(this)
  }

  close(): void {
    this.readyState = Stream.CLOSED
  }

  tell(event: 'open' | 'changed' | 'error'): void {
    this.dispatchEvent(new Event(event))
  }
}

/** A page that listens, with how often it was told to ask since the last look. */
async function page() {
  Stream.all = []
  vi.stubGlobal('EventSource', Stream)
  // Without locks every tab leads.
  vi.stubGlobal('navigator', {})
  let told = 0
  const stop = listenForHints(() => (told += 1))
  onTestFinished(() => {
    stop()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  await vi.waitFor(() => expect(Stream.all).toHaveLength(1))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = () => {
    const count = told
    told = 0
    return count
  }
  return { stream: Stream.all[0]!, asked, stop }
}

test('a stream that breaks asks once, and once more when it is back: nothing told of what changed meanwhile', async () => {
  const { stream, asked } = await page()
  stream.tell('open')
  expect(asked()).toBe(0)
  stream.tell('error')
  expect(asked()).toBe(1)
  stream.tell('error')
  expect(asked()).toBe(0)
  stream.tell('open')
  expect(asked()).toBe(1)
  stream.tell('open')
  expect(asked()).toBe(0)
  stream.tell('error')
  expect(asked()).toBe(1)
  // The browser reconnects by itself.
  vi.advanceTimersByTime(60_000)
  expect([asked(), Stream.all.length]).toEqual([0, 1])
})

test('a stream that the browser gives up is opened again every half a minute, and asking takes its place', async () => {
  const { stream, asked } = await page()
  stream.close()
  stream.tell('error')
  expect(asked()).toBe(1)
  vi.advanceTimersByTime(29_999)
  expect([asked(), Stream.all.length]).toEqual([0, 1])
  vi.advanceTimersByTime(1)
  expect([asked(), Stream.all.length]).toEqual([1, 2])
  Stream.all[1]!.tell('changed')
  expect(asked()).toBe(1)
})

test('one that is stopped closes its stream', async () => {
  const { stream, stop } = await page()
  expect([stream.address, stream.readyState]).toEqual([sync.events.path, 1])
  stop()
  expect(stream.readyState).toBe(Stream.CLOSED)
})

test('one that is stopped while it waits does not ask again', async () => {
  const { stream, asked, stop } = await page()
  stream.close()
  stream.tell('error')
  stop()
  asked()
  vi.advanceTimersByTime(60_000)
  expect([asked(), Stream.all.length]).toEqual([0, 1])
})

test('every hint asks', async () => {
  const { stream, asked } = await page()
  stream.tell('changed')
  stream.tell('changed')
  expect(asked()).toBe(2)
})
