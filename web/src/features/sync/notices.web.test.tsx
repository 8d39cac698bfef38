import { pushTexts } from '@fellowship/schema/push/push.texts'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { repairedCache } from '@fellowship/sync/client/worker-messages'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { holdPage } from '../../lib/busy.ts'
import { nothingNew, pulled } from '../../testing/sync-answers.ts'
import { testServer } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { InstallControl } from './install-control.tsx'
import { holdInstallPrompt } from './install-prompt.ts'
import { Notice, OfflineNotice, UpdateNotice } from './notices.tsx'
import { SyncStatus } from './sync-status.tsx'
import { TroubleNotice } from './trouble-notice.tsx'

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const hold = () => {
  let release = () => {}
  act(() => void (release = holdPage()))
  onTestFinished(release)
  return () => act(release)
}
function goes(kind: 'offline' | 'online') {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(kind === 'online')
  act(() => void window.dispatchEvent(new Event(kind)))
}
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('a notice renders only the given parts', () => {
  const { container, rerender } = render(<Notice title="Title" />)
  expect(container.textContent).toBe('Title')
  expect(container.querySelectorAll('button, .notice-words, .mt-3')).toHaveLength(0)
  rerender(
    <Notice title="Title" actions={<button type="button">Act</button>}>
      Words
    </Notice>,
  )
  expect(container.textContent).toBe('TitleWordsAct')
})

describe('offline', () => {
  const synced = async () => {
    await testServer({ [pulled]: () => ({ body: nothingNew }) })
    await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() - 120_000 })
    render(
      <>
        <OfflineNotice />
        <SyncStatus />
      </>,
    )
    await screen.findByText(/^Up to date/)
  }
  const title = () => screen.queryByText('You are offline')

  test('the status line and a closable notice say it', async () => {
    await synced()
    expect(title()).toBeNull()
    goes('offline')
    expect(title()).toBeTruthy()
    expect(screen.getByText(/^Offline\. Last updated/)).toBeTruthy()
    expect(screen.getByText('You are offline.').tagName).toBe('OUTPUT')
    await press('Close this message')
    expect(title()).toBeNull()
    goes('online')
    expect(screen.queryByText('You are offline.')).toBeNull()
    goes('offline')
    expect(title()).toBeNull()
    goes('online')
  })

  test('the notice goes by itself after ten seconds, not before', async () => {
    await synced()
    vi.useFakeTimers()
    goes('offline')
    act(() => void vi.advanceTimersByTime(9_999))
    expect(title()).toBeTruthy()
    act(() => void vi.advanceTimersByTime(1))
    expect(title()).toBeNull()
    goes('online')
  })
})

describe('a new version', () => {
  /** The part of a registration that the page uses; happy-dom has no service workers. */
  function workers(waiting: object | null) {
    const registration = Object.assign(new EventTarget(), { waiting, installing: null, active: null })
    const container = Object.assign(new EventTarget(), {
      controller: {},
      ready: Promise.resolve(registration),
      register: async () => registration,
      getRegistration: async () => registration,
    })
    Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
    onTestFinished(() => void Reflect.deleteProperty(navigator, 'serviceWorker'))
    vi.stubEnv('PROD', true)
    return container
  }
  const newer = () =>
    Object.assign(new EventTarget(), {
      scriptURL: `${location.origin}/service-worker.js`,
      state: 'installed',
      postMessage: vi.fn(),
    })

  test('is offered, and applied when nothing is unfinished', async () => {
    // Once per page load: the next tests share it.
    const waiting = newer()
    workers(waiting)
    vi.stubGlobal('caches', { delete: async () => false })
    render(<UpdateNotice />)
    await screen.findByText('A new version is ready')
    expect(screen.getByText(/^It takes a moment/)).toBeTruthy()
    const release = hold()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Update' }).disabled).toBe(true)
    expect(screen.getByText(/^A teaching is playing/)).toBeTruthy()
    release()
    vi.stubGlobal(
      'MessageChannel',
      class {
        port1 = {}
        port2 = {}
      },
    )
    vi.useFakeTimers()
    fireEvent.click(screen.getByRole('button', { name: 'Update' }))
    expect(waiting.postMessage.mock.calls[0]?.[0]).toEqual({ type: 'SKIP_WAITING' })
    vi.clearAllTimers()
  })

  test('waits when the person chooses Later', async () => {
    vi.stubGlobal('caches', { delete: async () => false })
    render(<UpdateNotice />)
    await press('Later')
    expect(screen.queryByText('A new version is ready')).toBeNull()
  })

  test('a repaired cache is said once', async () => {
    const deleted = vi.fn(async () => true)
    vi.stubGlobal('caches', { delete: deleted })
    render(<UpdateNotice />)
    const title = await screen.findByText('This site was repaired')
    expect(deleted).toHaveBeenCalledWith(repairedCache)
    await press('Close this message')
    expect(title.isConnected).toBe(false)
  })
})

describe('installing', () => {
  holdInstallPrompt()
  const offer = (outcome: string) => {
    const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
      prompt: vi.fn(async () => ({ outcome })),
    })
    act(() => void window.dispatchEvent(event))
    return event
  }
  const button = () => screen.queryByRole('button')

  test('is not offered by a browser that cannot', () => {
    render(<InstallControl />)
    expect(button()).toBeNull()
  })

  test.each(['accepted', 'dismissed'])('shows the browser’s own prompt, which is %s', async (outcome) => {
    toastStore.set(null)
    render(<InstallControl />)
    const event = offer(outcome)
    expect(event.defaultPrevented).toBe(true)
    await press('Install this app')
    expect(event.prompt).toHaveBeenCalledOnce()
    expect(button()).toBeNull()
    expect(toastStore.snapshot()?.title).toBe(outcome === 'accepted' ? pushTexts.installed.title : undefined)
  })

  test('is over once the site is installed', () => {
    render(<InstallControl />)
    offer('accepted')
    act(() => void window.dispatchEvent(new Event('appinstalled')))
    expect(button()).toBeNull()
  })

  test('shows steps on an iPhone', async () => {
    const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1'
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent)
    render(<InstallControl />)
    expect(screen.queryByRole('dialog')).toBeNull()
    await press('Add to your Home Screen')
    expect(await screen.findByRole('dialog', { name: 'Add it to your Home Screen' })).toBeTruthy()
    await press('Done')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  test('is not offered inside another app on an iPhone', () => {
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone) [FBAN/FBIOS]')
    render(<InstallControl />)
    expect(button()).toBeNull()
  })
})

describe('a database of another version', () => {
  test('asks to reload by a dialog that cannot be closed', async () => {
    render(<TroubleNotice trouble="outdated" />)
    expect(screen.getByRole('dialog', { name: 'The app was updated. Reload this page.' })).toBeTruthy()
    expect(screen.getAllByRole('button')).toHaveLength(1)
  })

  test('asks by a notice while the page has unfinished work', () => {
    const release = hold()
    render(<TroubleNotice trouble="blocked" />)
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(screen.getByRole('status').textContent).toContain('Something on this page is not finished')
    release()
    expect(screen.getByRole('dialog', { name: 'Close other tabs' })).toBeTruthy()
  })

  test('an older version can be read, so its notice closes', async () => {
    render(<TroubleNotice trouble="older" />)
    expect(screen.getByText('This is an older version of the app')).toBeTruthy()
    await press('Close this message')
    expect(screen.queryByRole('status')).toBeNull()
  })
})
