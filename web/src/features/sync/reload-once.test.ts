import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadOnStaleBuild } from './reload-once.ts'

const reload = vi.fn()
let time = 10_000_000
let handle: (error: unknown) => Promise<void>
const gone = new TypeError('Failed to fetch dynamically imported module: https://example.org/assets/a.js')

beforeEach(() => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  reload.mockReset()
  handle = reloadOnStaleBuild({
    now: () => time,
    reload,
    storage: () => storage,
    ownFile: 'https://example.org/assets/main.js',
  })
})
afterEach(() => vi.unstubAllGlobals())

test('does not reload if the browser refuses site data', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 404 })))
  const refuse = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  }
  Object.defineProperty(globalThis, 'sessionStorage', { get: refuse, configurable: true })
  try {
    await reloadOnStaleBuild({ reload })(gone)
  } finally {
    Reflect.deleteProperty(globalThis, 'sessionStorage')
  }
  expect(reload).not.toHaveBeenCalled()
})

test.each([
  ['a line that failed for a moment, or a page that is being left', 200],
  ['a portal', 302],
  ['a server that is starting', 503],
])('does not reload while the build exists: %s', async (_, status) => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status })))
  await handle(gone)
  expect(reload).not.toHaveBeenCalled()
})

test('does not reload offline', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no connection')))
  await handle(gone)
  expect(reload).not.toHaveBeenCalled()
})

test('reloads once if the build is gone', async () => {
  const asked = vi.fn<typeof fetch>(() => Promise.resolve(new Response(null, { status: 404 })))
  vi.stubGlobal('fetch', asked)
  await handle(gone)
  await handle(gone)
  expect(reload).toHaveBeenCalledOnce()
  expect(asked).toHaveBeenCalledExactlyOnceWith(
    'https://example.org/assets/main.js',
    expect.objectContaining({ method: 'HEAD' }),
  )
  time += 6 * 60_000
  await handle(gone)
  expect(reload).toHaveBeenCalledTimes(2)
})

test.each([
  ['a full disk', Object.assign(new Error('QuotaExceededError'), { name: 'AbortError' })],
  ['a connection lost during a call', new TypeError('Failed to fetch')],
  ['no error', undefined],
])('%s does not count as a missing build', async (_, error) => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 404 })))
  await handle(error)
  expect(reload).not.toHaveBeenCalled()
})

test.each([
  new TypeError('error loading dynamically imported module: https://example.org/assets/a.js'),
  new TypeError('Importing a module script failed.'),
  new TypeError("'text/html' is not a valid JavaScript MIME type."),
  new Error('Unable to preload CSS for /assets/a.css'),
])('recognises the errors of other browsers and stylesheets: %s', async (error) => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 404 })))
  await handle(error)
  expect(reload).toHaveBeenCalledOnce()
})
