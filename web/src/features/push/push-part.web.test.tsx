import { subscribePath, unsubscribePath } from '@fellowship/schema/push/push-address'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { testServer } from '../../testing/test-server.ts'
import { PushPart } from './push-part.tsx'

afterEach(() => vi.unstubAllGlobals())

/** A browser that can show notifications, with this permission. */
function ableBrowser(permission: NotificationPermission): void {
  vi.stubGlobal('PushManager', class {})
  vi.stubGlobal('Notification', { permission })
  vi.stubGlobal('navigator', Object.create(navigator, { serviceWorker: { value: {} } }))
}

const choices = () => screen.queryAllByRole('radio').map((radio) => radio.closest('label')!.textContent)

test('points to the podcast feed without notification support', () => {
  render(<PushPart />)
  expect(screen.getByRole('group', { name: pushTexts.question }).textContent).toContain(pushTexts.unable)
  expect(choices()).toEqual([])
})

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

test.each([
  ['Safari', 'Version/17.5 Mobile/15E148 Safari/604.1', pushTexts.homeScreenFirst],
  ['Chrome', 'CriOS/126.0.6478.153 Mobile/15E148 Safari/604.1', pushTexts.homeScreenFirst],
  ['Facebook', 'Mobile/21F79 [FBAN/FBIOS;FBAV/465.0.0.31.109]', pushTexts.openInSafari],
])('%s of an iPhone points to the Home Screen', (_, rest, sentence) => {
  vi.stubGlobal('navigator', Object.create(navigator, { userAgent: { value: `${iPhone} ${rest}` } }))
  render(<PushPart />)
  expect(screen.getByText(sentence)).toBeTruthy()
  expect(choices()).toEqual([])
})

test('shows where to allow blocked notifications', () => {
  ableBrowser('denied')
  render(<PushPart />)
  expect(screen.getByText(pushTexts.blocked)).toBeTruthy()
  expect(choices()).toEqual([])
})

test('no frequency is chosen at first', () => {
  ableBrowser('default')
  render(<PushPart />)
  expect(screen.getByText(pushTexts.hint)).toBeTruthy()
  expect(choices()).toEqual(['Never', 'Every teaching', 'Once a week, on Monday evening'])
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Never' }).checked).toBe(true)
})

test('a choice subscribes this device, and Never ends it', async () => {
  const received = await testServer({
    'GET /api/push/key': () => ({ body: { publicKey: 'BPub' } }),
    [`POST ${subscribePath}`]: () => ({ body: { every: 'teaching' } }),
    [`POST ${unsubscribePath}`]: () => ({ body: { success: true } }),
  })
  vi.stubGlobal('PushManager', class {})
  vi.stubGlobal('Notification', { permission: 'granted', requestPermission: async () => 'granted' })
  const given = {
    endpoint: 'https://push.example.com/one',
    keys: { p256dh: `B${'a'.repeat(86)}`, auth: 'b'.repeat(22) },
  }
  const unsubscribe = vi.fn(async () => true)
  const subscription = { endpoint: given.endpoint, toJSON: () => given, unsubscribe, options: {} }
  let present: object | null = null
  const pushManager = {
    getSubscription: async () => present,
    subscribe: async () => (present = subscription),
  }
  const serviceWorker = { getRegistration: async () => ({ active: {}, pushManager }) }
  // Not another navigator, with which requests fail.
  Object.defineProperty(navigator, 'serviceWorker', { value: serviceWorker, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'serviceWorker'))
  const bodies = (path: string) =>
    received.filter((each) => each.path === path).map(({ body }) => JSON.parse(body) as unknown)
  const radio = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name })
  render(<PushPart />)
  await userEvent.click(radio('Every teaching'))
  await waitFor(() => expect(bodies(subscribePath)).toEqual([{ subscription: given, every: 'teaching' }]))
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe(''))
  await waitFor(() => expect(radio('Every teaching').checked).toBe(true))
  await userEvent.click(radio('Never'))
  await waitFor(() => expect(radio('Never').checked).toBe(true))
  await waitFor(() => expect(bodies(unsubscribePath)).toEqual([{ endpoint: given.endpoint }]))
  expect(unsubscribe).toHaveBeenCalledOnce()
})
