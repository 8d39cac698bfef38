import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isPoisoned, judgedFiles } from './judged-files.ts'

const origin = 'https://example.org'
const page = '<script type="module" src="/assets/main-1.js"></script>'
const portal = '<h1>Free WiFi</h1><script src="https://portal.example/x.js"></script>'
const sha = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
const integrity = new Map([
  ['/assets/main-1.js', sha('main')],
  ['/icon.svg', sha('<svg/>')],
])
const plugin = judgedFiles({ integrity, template: '/index.html' })

const answer = (body: string, type = 'text/html; charset=utf-8', status = 200) =>
  new Response(body, { status, headers: { 'content-type': type } })

const mayBeCached = async (path: string, response: Response) =>
  (await plugin.cacheWillUpdate!({ request: new Request(origin + path), response } as never)) !== null

const isUsed = async (path: string, cachedResponse: Response, during: 'install' | 'fetch') =>
  (await plugin.cachedResponseWillBeUsed!({
    request: new Request(origin + path),
    cachedResponse,
    event: { type: during },
  } as never)) !== null

test.each([
  ['/assets/main-1.js', answer(portal)],
  ['/icon.svg', answer(portal, 'application/xhtml+html')],
  ['/assets/main-1.js', answer('gone', 'text/javascript', 404)],
  ['/index.html', answer(portal)],
  ['/index.html', answer('{}', 'application/json')],
  ['/index.html', answer(page.replace('main-1', 'main-2'))],
  ['/index.html', answer(page, undefined, 503)],
])('never caches a foreign answer as %s', async (path, response) => {
  expect(await mayBeCached(path, response)).toBe(false)
})

test.each([
  ['/assets/main-1.js', answer('main', 'text/javascript')],
  ['/index.html', answer(`<meta name="build">${page}`)],
])('caches %s of its own build', async (path, response) => {
  expect(await mayBeCached(path, response)).toBe(true)
})

test('never uses a cached foreign page as a file', async () => {
  for (const during of ['install', 'fetch'] as const) {
    expect(await isUsed('/assets/main-1.js', answer(portal), during)).toBe(false)
    expect(await isUsed('/index.html', answer(portal), during)).toBe(false)
    expect(await isUsed('/assets/main-1.js', answer('main', 'text/javascript'), during)).toBe(true)
  }
})

test('fetches a cached file with other bytes again at installation', async () => {
  const damaged = () => answer('other', 'text/javascript')
  expect(await isUsed('/assets/main-1.js', damaged(), 'install')).toBe(false)
  expect(await isUsed('/assets/main-1.js', damaged(), 'fetch')).toBe(true)
})

test.each([
  [{}, false],
  [
    { '/index.html?__WB_REVISION__=1': answer(page), '/assets/main-1.js': answer('main', 'text/javascript') },
    false,
  ],
  [{ '/index.html?__WB_REVISION__=1': answer(portal) }, true],
  [{ '/index.html?__WB_REVISION__=1': answer(page), '/assets/main-1.js': answer(portal) }, true],
])('finds a cache that no version can start from: %j', async (files: Record<string, Response>, wanted) => {
  const cache = {
    keys: async () => Object.keys(files).map((path) => new Request(origin + path)),
    match: async (request: Request) => files[request.url.slice(origin.length)],
  }
  expect(await isPoisoned(cache as never, '/index.html')).toBe(wanted)
})
