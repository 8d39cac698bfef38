import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { registerWorker } from './app-update.ts'

/** The part of the service worker API that the page uses; happy-dom has none. */
const registration = Object.assign(new EventTarget(), {
  installing: null as object | null,
  waiting: null as object | null,
  active: null,
  update: vi.fn(async () => undefined),
  unregister: vi.fn(async () => true),
})
const container = Object.assign(new EventTarget(), {
  controller: null as object | null,
  ready: Promise.resolve(registration),
  register: vi.fn(async () => registration),
  getRegistration: vi.fn(async () => registration as typeof registration | undefined),
})
/** The number of files in the caches. */
let cached = 0

beforeEach(() => {
  Object.assign(registration, { installing: null, waiting: null })
  Object.assign(container, { controller: null })
  vi.clearAllMocks()
  vi.useFakeTimers()
  vi.stubEnv('PROD', true)
  vi.stubGlobal('caches', {
    keys: async () => ['app'],
    open: async () => ({ keys: async () => Array.from({ length: cached }, String) }),
  })
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'serviceWorker')
})
const registered = () => container.register.mock.calls.length
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('nothing is registered in development or without workers', () => {
  vi.stubEnv('PROD', false)
  expect(registerWorker()).toBeUndefined()
  vi.stubEnv('PROD', true)
  Reflect.deleteProperty(navigator, 'serviceWorker')
  expect(registerWorker()).toBeUndefined()
})

test('a controlled page registers at once', async () => {
  Object.assign(container, { controller: {} })
  registerWorker()
  await after(0)
  expect(registered()).toBe(1)
})

test('the page of a first session registers after three seconds', async () => {
  container.getRegistration.mockResolvedValueOnce(undefined)
  registerWorker()
  await after(2_999)
  expect(registered()).toBe(0)
  await after(1)
  expect(registered()).toBe(1)
  await after(20_000)
  expect(registered()).toBe(1)
})

test('each new version that waits is reported', async () => {
  Object.assign(container, { controller: {} })
  const update = registerWorker()!
  await after(0)
  const worker = Object.assign(new EventTarget(), {
    state: 'installing',
    scriptURL: 'https://example.test/other.js',
  })
  registration.installing = worker
  registration.dispatchEvent(new Event('updatefound'))
  worker.dispatchEvent(new Event('statechange'))
  expect(update.state()).toBe('none')
  registration.waiting = worker
  worker.dispatchEvent(new Event('statechange'))
  expect(update.state()).toBe('ready')
  container.dispatchEvent(new Event('controllerchange'))
  expect(update.state()).toBe('taken')
})

test('a page that becomes visible asks for a new version', async () => {
  Object.assign(container, { controller: {} })
  registerWorker()
  await after(0)
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(registration.update).not.toHaveBeenCalled()
  visibility.mockReturnValue('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(registration.update).toHaveBeenCalled()
})

test.each([
  ['that caches nothing is removed', 'installing', 0, 2, 1],
  ['that goes on caching stays until it stops', 'installing', 1, 1, 0],
  ['that was installed meanwhile stays', 'installed', 0, 1, 0],
])('a first worker %s', async (_, state, growth, registrations, removals) => {
  registration.installing = Object.assign(new EventTarget(), { state: 'installing' })
  registerWorker()
  await after(3_100)
  cached += growth
  Object.assign(registration.installing, { state })
  await after(5_000)
  expect([registered(), registration.unregister.mock.calls.length]).toEqual([registrations, removals])
  if (growth === 0) return
  await after(5_000)
  expect([registered(), registration.unregister.mock.calls.length]).toEqual([2, 1])
})
