import { mkdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { contract } from '@fellowship/schema/contract'
import { freshPage } from '@fellowship/schema/pages/prerender-data'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { createApp } from '../../app.ts'
import { fixture } from '../../testing/multipart.ts'
import { isNginxMissing, stockNginx } from '../../testing/stock-nginx.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp({ PUBLIC_URL: 'https://teaching.example.org' })
const administrator = await app.signedIn('admin')
const files = { audioFile: new File([new Uint8Array(await fixture('cbr.mp3'))], 'recording.mp3') }
const body = { title: 'Grace', speaker: 'Ann Smith', date: '2026-11-15', scriptureReference: '' }
const { teaching } = await call(uploads.smartUpload, { body, files }, administrator)
const url = await serve({})
const nameless = await serve({ publicUrl: undefined })

/** The app with a built page, whose content shows the caller that it was rendered for. */
async function serve(config: { publicUrl?: undefined }): Promise<string> {
  const webFolder = path.join(app.dataDir, 'built')
  await mkdir(path.join(webFolder, 'assets'), { recursive: true })
  await writeFile(
    path.join(webFolder, 'index.html'),
    '<html><head><title>x</title></head><body><div id="root"></div></body></html>',
  )
  await writeFile(path.join(webFolder, 'assets/a-1.js'), '1')
  const server = await createApp(
    { ...app.context, config: { ...app.context.config, ...config } },
    {
      webFolder,
      renderPage: async (address, { visitor }) => `${address} for ${visitor ? 'a visitor' : 'a person'}`,
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const session = () => [...administrator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const callers = { anyone: () => '', reader: () => 'comfort=large.more', administrator: session }

interface Asked {
  status: number
  cacheControl: string
  vary: string
  setCookie: string[]
  text: string
}

/** Reads the body only if the response is cacheable: an event stream has no end. */
async function ask(address: string, cookie: string, base = url): Promise<Asked> {
  const answer = await fetch(base + address, {
    headers: { accept: 'text/html', ...(cookie && { cookie }) },
    redirect: 'manual',
  })
  const cacheControl = answer.headers.get('cache-control') ?? ''
  const text = mayBeKept(cacheControl) ? await answer.text() : ''
  await answer.body?.cancel().catch(() => undefined)
  return {
    status: answer.status,
    cacheControl,
    vary: answer.headers.get('vary') ?? '',
    setCookie: answer.headers.getSetCookie(),
    text,
  }
}

const mayBeKept = (cacheControl: string) => /public|s-maxage/.test(cacheControl)

const calls = Object.values(contract)
  .flatMap((feature) => Object.values(feature) as AnyEndpoint[])
  .filter(({ method }) => method === 'GET')
  .map((each) => each.path.replace(/:\w+/g, String(teaching.id)))
const pages = ['/', '/about', '/teaching', teachingPath(teaching), '/admin', '/manage', '/nowhere']
const others = [
  `/teaching?t=${teaching.uid}`,
  '/feed.xml',
  '/sitemap.xml',
  '/robots.txt',
  '/assets/a-1.js',
  '/index.html',
  teaching.audioUrl!,
  `${teaching.audioUrl}?download=1`,
]

test.each([...calls, ...pages, ...others])('%s is cacheable only if equal for everyone', async (address) => {
  const anyone = await ask(address, callers.anyone())
  for (const caller of ['anyone', 'reader', 'administrator'] as const) {
    const found = await ask(address, callers[caller]())
    if (!mayBeKept(found.cacheControl)) continue
    expect(found.setCookie).toEqual([])
    expect({ ...found, caller }).toEqual({ ...anyone, caller })
  }
  // A cache that varies by cookie separates the responses; any other gets only one that it may store.
  if (/s-maxage/.test(anyone.cacheControl) && !address.startsWith('/api/'))
    expect(anyone.vary).toContain('cookie')
})

test('only catalogue and public pages are cacheable for a minute', async () => {
  const kept: string[] = []
  for (const address of [...calls, ...pages, ...others]) {
    const { cacheControl } = await ask(address, '')
    if (cacheControl === 'public, max-age=0, s-maxage=60, must-revalidate') kept.push(address)
    else expect([address, cacheControl]).not.toEqual([address, expect.stringContaining('s-maxage')])
  }
  const catalogue = ['/api/teachings', '/api/spoken-search']
  expect(kept).toEqual([...catalogue, '/', '/about', '/teaching', teachingPath(teaching)])
})

test.each(['reader', 'administrator'] as const)('a page for a %s is not cacheable', async (caller) => {
  for (const address of ['/', '/about', '/teaching'])
    expect(await ask(address, callers[caller]())).toMatchObject({
      cacheControl: 'no-cache',
      vary: 'accept-encoding, cookie',
    })
})

test('a page requested fresh bypasses the cache', async () => {
  expect((await ask(`/teaching${freshPage}`, '')).cacheControl).toBe('no-cache')
  const text = await (await fetch(`${url}/teaching${freshPage}`)).text()
  expect(text).toContain('/teaching for a visitor')
})

test('a page is not cacheable without PUBLIC_URL', async () => {
  for (const address of ['/', '/about', '/teaching'])
    expect((await ask(address, '', nameless)).cacheControl).toBe('no-cache')
})

test.skipIf(isNginxMissing())('nginx answers only visitors from its cache', async () => {
  const edge = await stockNginx(url, { cache: true })
  const from = async (address: string, cookie = '') => {
    const answer = await fetch(edge + address, {
      headers: { accept: 'text/html', ...(cookie && { cookie }) },
    })
    return { by: answer.headers.get('x-cache'), text: await answer.text() }
  }
  for (const address of ['/teaching', '/api/teachings']) {
    const first = await from(address)
    expect(first.by).toBe('MISS')
    expect(await from(address)).toEqual({ ...first, by: 'HIT' })
  }
  for (const times of [1, 2]) {
    const page = await from('/teaching', session())
    expect([times, page.by]).toEqual([times, 'MISS'])
    expect(page.text).toContain('for a person')
    expect((await from('/api/auth/user', session())).text).toContain(administrator.email)
    expect((await from('/api/auth/user')).text).not.toContain(administrator.email)
    expect((await from(`/teaching${freshPage}`)).by).toBe('MISS')
  }
  expect((await from('/teaching')).text).toContain('for a visitor')
})
