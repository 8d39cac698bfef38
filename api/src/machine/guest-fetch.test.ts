import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nameServer } from '../testing/name-server.ts'
import { guestFetch } from './guest-fetch.ts'

async function server(listener: http.RequestListener) {
  const listening = http.createServer(listener).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  onTestFinished(() => {
    listening.closeAllConnections()
    listening.close()
  })
  return `127.0.0.1:${(listening.address() as AddressInfo).port}`
}

const options = { userAgent: 'Test/1.0 (+mailto:a@example.org)', wait: async () => undefined }
const guest = (...privateHosts: string[]) => guestFetch({ ...options, privateHosts })
const limits = { maxBytes: 1024 * 1024, totalMs: 5_000 }

describe('refused addresses', () => {
  test.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://10.0.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00::1]/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://localhost/',
    'http://a.localhost/',
  ])('%s is in a private network', async (address) => {
    await expect(guest().read(address, limits)).rejects.toThrow(/private network/)
  })

  test.each(['file:///etc/passwd', 'ftp://a.example/', 'gopher://a.example/', 'words'])(
    '%s has another scheme',
    async (address) => {
      await expect(guest().read(address, limits)).rejects.toThrow(/http:\/\/ or https:\/\//)
    },
  )

  test.each(['http://10.0.0.1/', 'file:///etc/passwd'])(
    'a redirect to %s is not followed',
    async (location) => {
      const host = await server((_, response) => response.writeHead(302, { location }).end())
      await expect(guest(host).read(`http://${host}/`, limits)).rejects.toThrow(
        /private network|http:\/\/ or/,
      )
    },
  )

  test('a redirect to a name of a private network is not followed', async () => {
    const names = await nameServer([10, 0, 0, 1])
    const host = await server((_, response) =>
      response.writeHead(302, { location: 'http://inside.example/' }).end(),
    )
    const asking = guestFetch({ ...options, privateHosts: [host], nameServers: [names.server] })
    await expect(asking.read(`http://${host}/`, limits)).rejects.toThrow(/inside\.example is in a private/)
  })

  test('another port of an allowed host stays refused', async () => {
    const [allowed, other] = [await server((_, response) => response.end()), await server((_, r) => r.end())]
    await expect(guest(allowed).read(`http://${other}/`, limits)).rejects.toThrow(/private network/)
  })
})

test('six redirects are too many', async () => {
  let asked = 0
  const host = await server((_, response) => {
    asked += 1
    response.writeHead(302, { location: `/${asked}` }).end()
  })
  await expect(guest(host).read(`http://${host}/`, limits)).rejects.toThrow(/more than five times/)
  expect(asked).toBe(6)
})

test.each([
  [
    'a promise of 10 GB',
    (response: http.ServerResponse) => response.writeHead(200, { 'content-length': 1e10 }).write('a'),
  ],
  ['bytes without a promise', (response: http.ServerResponse) => response.end(Buffer.alloc(2 * 1024 * 1024))],
  [
    'a small body that grows when it is decoded',
    (response: http.ServerResponse) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(4 * 1024 * 1024))),
  ],
])('refuses %s', async (_, answer) => {
  const host = await server((_request, response) => void answer(response))
  await expect(guest(host).read(`http://${host}/`, limits)).rejects.toThrow(/larger than 1MB/)
})

test('an endless body ends at its time', async () => {
  const host = await server((_, response) => {
    const more = setInterval(() => response.write('a'), 20)
    response.once('close', () => clearInterval(more))
  })
  await expect(guest(host).read(`http://${host}/`, { ...limits, totalMs: 300 })).rejects.toThrow(/in time/)
})

test('names itself, with an address for questions', async () => {
  let name: string | undefined
  const host = await server(({ headers }, response) => {
    name = headers['user-agent']
    response.end('a')
  })
  await guest(host).read(`http://${host}/`, limits)
  expect(name).toBe('Test/1.0 (+mailto:a@example.org)')
})

test('a changed file is transferred from its first byte', async () => {
  let asked = 0
  const host = await server((_, response) => {
    asked += 1
    const tag = `"${asked}"`
    // The second answer is of another file, so that If-Range has the whole of it sent.
    if (asked === 2) return response.writeHead(200, { etag: tag, 'content-length': 3 }).end('new')
    response.writeHead(200, { etag: tag, 'content-length': 100 })
    return response.write('old', () => setTimeout(() => response.destroy(), 20))
  })
  let written = ''
  const sink = {
    write: async (part: Buffer) => void (written += part.toString()),
    restart: async () => void (written = ''),
  }
  expect(await guest(host).download(`http://${host}/`, sink, limits)).toEqual({ isWhole: true })
  expect(written).toBe('new')
})
