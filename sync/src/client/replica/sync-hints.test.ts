import 'fake-indexeddb/auto'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenForHints, onListeningHint, renewEventStream } from './sync-hints.ts'

/** The used part of the browser's event stream; a test dispatches its events. */
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

  hint(sender: string): void {
    this.dispatchEvent(new MessageEvent('listening', { data: sender }))
  }
}

/** A page that listens; `asked` counts the calls since the last look. */
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

test('a broken stream asks once and at its return', async () => {
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

test('reopens a closed stream after 30 seconds and asks', async () => {
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

test('stopping closes the stream', async () => {
  const { stream, stop } = await page()
  expect([stream.address, stream.readyState]).toEqual([sync.events.path, 1])
  stop()
  expect(stream.readyState).toBe(Stream.CLOSED)
})

test('stopping ends the wait for a new stream', async () => {
  const { stream, asked, stop } = await page()
  stream.close()
  stream.tell('error')
  stop()
  asked()
  vi.advanceTimersByTime(60_000)
  expect([asked(), Stream.all.length]).toEqual([0, 1])
})

test('asks at every hint', async () => {
  const { stream, asked } = await page()
  stream.tell('changed')
  stream.tell('changed')
  expect(asked()).toBe(2)
})

test('passes hints of listening with their sender', async () => {
  const { stream, asked } = await page()
  const senders: (string | undefined)[] = []
  onTestFinished(onListeningHint((sender) => senders.push(sender)) as () => void)
  stream.hint('another session')
  expect([senders, asked()]).toEqual([['another session'], 0])
  stream.tell('error')
  stream.tell('open')
  expect(senders).toEqual(['another session', undefined])
})

test('renews the stream for another user', async () => {
  const { stream, asked, stop } = await page()
  renewEventStream()
  expect([stream.readyState, Stream.all.length, asked()]).toEqual([Stream.CLOSED, 2, 0])
  stop()
  renewEventStream()
  expect([Stream.all[1]!.readyState, Stream.all.length]).toEqual([Stream.CLOSED, 2])
})
