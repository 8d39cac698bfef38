import 'fake-indexeddb/auto'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { cachePrerenderedPages } from '@fellowship/sync/client/worker-messages'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { act, render, screen } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { whenIdle } from '../../boot/phases.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { nothingNew, pulled } from '../../testing/sync-answers.ts'
import { testServer } from '../../testing/test-server.ts'
import { useDeviceSync, useOffline } from './use-device-sync.ts'
import { useDeviceQuery } from './use-device-query.ts'
import { usePrerenderedPages } from './use-prerendered-pages.ts'

function Elders() {
  const count = useDeviceQuery(() => appDatabase().elders.count(), [], 0)
  return <p>{count} elders</p>
}

test('shows the last result while unreadable', async () => {
  const { elders } = appDatabase()
  await elders.add({ uid: 'a' } as never)
  render(<Elders />)
  await screen.findByText('1 elders')

  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  const reading = vi.spyOn(elders, 'count').mockImplementation(() => Promise.reject(lost) as never)
  await elders.add({ uid: 'b' } as never)
  await vi.waitFor(() => expect(reading).toHaveBeenCalled())
  expect(screen.getByText('1 elders')).toBeTruthy()

  reading.mockRestore()
  await screen.findByText('2 elders')
})

function Standing() {
  usePrerenderedPages()
  return (
    <p>
      {useDeviceSync()?.cursor ?? 'unknown'}, {useOffline() ? 'offline' : 'online'}
    </p>
  )
}

/** The page of a signed-in person on a device that has synced. */
async function synced() {
  await testServer({ [pulled]: () => ({ body: nothingNew }) })
  await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: 1 })
  render(
    <SignedIn>
      <Standing />
    </SignedIn>,
  )
  await screen.findByText('x, online')
}

test('a device that has synced goes offline and online', async () => {
  await synced()
  const line = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  onTestFinished(() => line.mockRestore())
  act(() => void window.dispatchEvent(new Event('offline')))
  await screen.findByText('x, offline')
  line.mockReturnValue(true)
  act(() => void window.dispatchEvent(new Event('online')))
  await screen.findByText('x, online')
})

test('a signed-in person’s worker caches no public pages', async () => {
  const postMessage = vi.fn()
  const ready = Promise.resolve({ active: { postMessage } })
  Object.defineProperty(navigator, 'serviceWorker', { value: { ready }, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'serviceWorker'))
  await synced()
  await expect.poll(() => postMessage.mock.calls).toEqual([[{ type: cachePrerenderedPages, state: null }]])
})

test('a browser without service workers caches nothing', async () => {
  const rejected = vi.fn()
  process.on('unhandledRejection', rejected)
  onTestFinished(() => void process.off('unhandledRejection', rejected))
  await synced()
  expect('serviceWorker' in navigator).toBe(false)
  // After the work that the page has left for an idle moment.
  await new Promise<void>((resolve) => void whenIdle(() => setTimeout(resolve)))
  expect(rejected).not.toHaveBeenCalled()
})
