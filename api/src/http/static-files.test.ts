import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { acceptedEncoding } from './content-coding.ts'
import { staticFiles, type PageSource } from './static-files.ts'

const page = `<!doctype html><title>Home</title>${'<p>Welcome.</p>'.repeat(100)}`
const script = 'console.log("hello")\n'.repeat(200)
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10])

const folder = await mkdtemp(path.join(tmpdir(), 'static-test-'))
await mkdir(path.join(folder, 'assets'))
for (const [name, text] of [
  ['index.html', page],
  ['assets/index-Ab12.js', script],
] as const) {
  await writeFile(path.join(folder, name), text)
  await writeFile(path.join(folder, `${name}.br`), brotliCompressSync(text))
  await writeFile(path.join(folder, `${name}.gz`), gzipSync(text))
}
await writeFile(path.join(folder, 'assets/small-Cd34.css'), 'p{}')
await writeFile(path.join(folder, 'mark.png'), picture)
await writeFile(path.join(folder, 'unheard.of'), 'bytes')
await writeFile(path.join(path.dirname(folder), `${path.basename(folder)}-secret.txt`), 'outside')

const port = await serveFolder(folder)
afterAll(async () => {
  await rm(folder, { recursive: true })
  await rm(other, { recursive: true })
  await rm(`${folder}-secret.txt`)
})

const other = await mkdtemp(path.join(tmpdir(), 'static-test-'))
await writeFile(path.join(other, 'mark.png'), Buffer.concat([picture, picture]))
await writeFile(path.join(other, 'service-worker.js'), 'precache([{"revision":"2a74f0","url":"index.html"}])')
const rebuilt = await serveFolder(other)
const empty = await serveFolder(path.join(folder, 'not-built'))

const asset = '/assets/index-Ab12.js'
const left = { status: 421, text: 'not a file' }

describe('leaves to the next handler', () => {
  test.each([
    ['POST', '/'],
    ['PUT', asset],
    ['DELETE', '/about'],
    ['OPTIONS', '/'],
    ['GET', '/assets/gone-Zz99.js'],
    ['GET', '/assets/index-Ab12.js.br'],
    ['GET', '/assets/index-Ab12.js.gz'],
    ['GET', '/assets'],
    ['GET', '/elsewhere'],
    ['GET', '/api/teachings'],
  ])('%s %s', async (method, address) => {
    expect(await ask(address, {}, method)).toMatchObject(left)
  })

  test.each(['', '..%2f', '%2e%2e/', '../', 'assets/../../', '%5c..%5c'])(
    'a path out of the folder through %s',
    async (way) => {
      const answer = await ask(`/${way}${path.basename(folder)}-secret.txt`)
      expect(answer).toMatchObject(left)
    },
  )

  test('an API address, also when a browser navigates to it', async () => {
    expect(await ask('/api/nothing', { accept: 'text/html' })).toMatchObject(left)
  })
})

describe('pages', () => {
  test.each(['/', '/about', '/about/', '/teaching?t=5', '/admin', '/manage'])(
    '%s is the client',
    async (address) => {
      const answer = await ask(address)
      expect([answer.status, answer.text]).toEqual([200, page])
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        'x-frame-options': 'DENY',
      })
    },
  )

  test.each(['/elsewhere', '/About', '/teaching/5', '/assets/gone.js', '/wp-login.php'])(
    '%s is the 404 page for a browser',
    async (address) => {
      const answer = await ask(address, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      expect([answer.status, answer.text]).toEqual([404, page])
      expect(answer.headers['x-frame-options']).toBe('DENY')
    },
  )

  test('never answers 304 for the 404 page', async () => {
    const { headers } = await ask('/')
    const answer = await ask('/elsewhere', { accept: 'text/html', 'if-none-match': headers.etag! })
    expect(answer.status).toBe(404)
  })
})

describe('files', () => {
  test.each([
    [asset, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', Buffer.from(script)],
    [
      '/assets/small-Cd34.css',
      'text/css; charset=utf-8',
      'public, max-age=31536000, immutable',
      Buffer.from('p{}'),
    ],
    ['/mark.png', 'image/png', 'no-cache', picture],
    ['/unheard.of', 'application/octet-stream', 'no-cache', Buffer.from('bytes')],
  ])('%s', async (address, type, cacheControl, bytes) => {
    const answer = await ask(address)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(bytes)
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'cache-control': cacheControl,
      'x-frame-options': 'DENY',
    })
  })

  test.each<Record<string, string>>([{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip' }])(
    'HEAD answers as GET does, without the bytes: %j',
    async (sent) => {
      const get = await ask(asset, sent)
      const head = await ask(asset, sent, 'HEAD')
      expect(head.status).toBe(200)
      expect(head.body.length).toBe(0)
      expect(withoutDate(head.headers)).toEqual(withoutDate(get.headers))
      expect(Number(head.headers['content-length'])).toBe(get.body.length)
    },
  )
})

describe('compressed copies', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br', 'br'],
    ['BR', 'br'],
    ['*', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0, gzip; q=0.5', 'gzip'],
    ['br;q=0.000, gzip;q=0.001', 'gzip'],
    ['gzip;q=1.0, br;q=0.2', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['xbr, gzip-like', undefined],
    ['', undefined],
  ])('%s: %s', async (header, coding) => {
    const answer = await ask(asset, { 'accept-encoding': header })
    expect(answer.headers['content-encoding']).toBe(coding)
    expect(decoded(answer).toString()).toBe(script)
    expect(answer.headers.vary).toBe('accept-encoding')
  })

  test('sends the plain file where there is no compressed one', async () => {
    const answer = await ask('/mark.png', { 'accept-encoding': 'br, gzip' })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.body).toEqual(picture)
  })

  test('parses a header after a hundred others were cached', () => {
    for (let at = 0; at < 250; at += 1) {
      expect(acceptedEncoding(`x${at}, br;q=0, gzip`, ['br', 'gzip'])).toBe('gzip')
      expect(acceptedEncoding('br', ['br', 'gzip'])).toBe('br')
    }
  })
})

describe('unchanged', () => {
  test('each coding has its own tag for 304', async () => {
    const codings = ['br', 'gzip', 'identity']
    const tags = await Promise.all(
      codings.map(async (coding) => (await ask(asset, { 'accept-encoding': coding })).headers.etag!),
    )
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/)
    for (const [at, coding] of codings.entries()) {
      for (const [of, tag] of tags.entries()) {
        const answer = await ask(asset, { 'accept-encoding': coding, 'if-none-match': tag })
        expect([coding, tag, answer.status]).toEqual([coding, tag, at === of ? 304 : 200])
      }
    }
  })

  test.each([
    ['a weak tag', (tag: string) => `W/${tag}`],
    ['one of several', (tag: string) => `"other", ${tag} , "third"`],
    ['anything', () => '*'],
  ])('%s', async (_, condition) => {
    const { etag } = (await ask(asset)).headers
    const answer = await ask(asset, { 'if-none-match': condition(etag!) })
    expect([answer.status, answer.body.length]).toEqual([304, 0])
    expect(answer.headers).toMatchObject({
      etag,
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-frame-options': 'DENY',
    })
    expect(answer.headers['content-length']).toBeUndefined()
  })

  test('sends the file for the tag of another one', async () => {
    const { etag } = (await ask('/mark.png')).headers
    expect((await ask(asset, { 'if-none-match': etag! })).status).toBe(200)
  })

  test('a build with other bytes has another tag', async () => {
    const tags = [await ask('/mark.png'), await ask('/mark.png', {}, 'GET', rebuilt)].map(
      ({ headers }) => headers.etag,
    )
    expect(tags[0]).not.toBe(tags[1])
  })
})

describe('the precache list of the service worker', () => {
  const list = (revision: string) => `precache([{"revision":"${revision}","url":"index.html"}])`
  const served = async (commonHead: string, headers: Record<string, string> = {}) => {
    const pageSource = {
      commonHead,
      headOf: () => Promise.reject(new Error('not requested')),
      onError: () => {},
    }
    const at = await serveFolder(other, headers, pageSource)
    const answer = await ask('/service-worker.js', { 'accept-encoding': 'br' }, 'GET', at)
    return decoded(answer).toString()
  }

  test('is unchanged where the page is unchanged', async () => {
    expect(await served('')).toBe(list('2a74f0'))
  })

  test('the revision changes with the head and with headers', async () => {
    const tags = '<meta name="contact-email" content="a@example.org">'
    const lists = [
      await served(tags),
      await served(tags.replace('a@', 'b@')),
      await served(tags, { 'content-security-policy': "default-src 'self'" }),
    ]
    for (const one of lists)
      expect(one).toMatch(/^precache\(\[\{"revision":"2a74f0-[0-9a-f]{8}","url":"index\.html"\}\]\)$/)
    expect(new Set(lists).size).toBe(3)
    expect(await served(tags)).toBe(lists[0])
  })
})

test('only audio workers may compile WebAssembly', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'static-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(path.join(folder, 'assets'))
  const allowed = ['smaller.worker-Ab_1-x.js', 'sound.worker-Ab1.js']
  const names = [
    ...allowed,
    'smaller-offer-Ab1.js',
    'sound-check-Ab1.js',
    'smaller.worker-x.css',
    'index-Ab1.js',
  ]
  for (const name of names) await writeFile(path.join(folder, 'assets', name), '')
  const at = await serveFolder(folder, { 'content-security-policy': "default-src 'none'; script-src 'self'" })
  const policies = names.map(async (name) => (await ask(`/assets/${name}`, {}, 'GET', at)).headers)
  expect(
    (await Promise.all(policies)).map((headers) =>
      headers['content-security-policy']?.includes("script-src 'self' 'wasm-unsafe-eval'"),
    ),
  ).toEqual([true, true, false, false, false, false])
})

test('passes every address on if there is no build', async () => {
  for (const address of ['/', '/about', '/elsewhere', asset]) {
    expect(await ask(address, { accept: 'text/html' }, 'GET', empty)).toMatchObject(left)
  }
})

/** A server of `staticFiles`; requests left to the next handler are answered 421. */
async function serveFolder(
  from: string,
  headers: Record<string, string> = { 'x-frame-options': 'DENY' },
  pageSource?: PageSource,
): Promise<number> {
  const files = await staticFiles(from, headers, pageSource)
  const server = createServer((incoming, response) => {
    const handled = files(incoming, response, incoming.url!.split('?', 1)[0]!)
    if (!handled) response.writeHead(421).end('not a file')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

/** Without `fetch`, which would decompress the body and normalize the address. */
function ask(
  address: string,
  headers: Record<string, string> = {},
  method = 'GET',
  to = port,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: to, path: address, method, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('end', () => {
          const body = Buffer.concat(chunks)
          resolve({ status: response.statusCode!, headers: response.headers, body, text: body.toString() })
        })
      },
    )
    sent.once('error', reject)
    sent.end()
  })
}

function decoded({ headers, body }: Answer): Buffer {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body)
  return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

const withoutDate = (headers: IncomingHttpHeaders) => ({ ...headers, date: undefined })
