import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Problem } from '@fellowship/schema/problem'
import { expect, onTestFinished, test } from 'vitest'
import { parseEnv } from '../config/config.ts'
import { lifecycle } from '../machine/lifecycle.ts'
import { createLog } from '../machine/log.ts'
import { rawRoute, sendBody, type Body } from './deliver.ts'
import { refusalPace } from './limiter.ts'

const modified = new Date('2026-11-22T10:00:00.500Z')
const body: Body = {
  headers: ['x-own', 'yes'],
  type: 'text/plain',
  tag: 'abc',
  modified,
  codings: [],
  encode: () => Buffer.from('Hello'),
}

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])(
  '%s: 405 with Allow and the failure headers',
  async (method) => {
    const answer = await answered({ method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(await answer.json()).toMatchObject({ success: false })
  },
)

test('a thrown Problem becomes an uncached failure with Retry-After', async () => {
  const answer = await answered({}, () => {
    throw new Problem('unavailable', undefined, { retryAfter: 5 })
  })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('an unexpected error after the headers breaks the connection off', async () => {
  const broken = answered({}, (response) => {
    response.writeHead(200, { 'content-length': 10 }).write('Hello')
    throw new Error('lost')
  }).then((answer) => answer.text())
  await expect(broken).rejects.toThrow()
})

test.each([
  [{}, 200],
  [{ 'if-none-match': '"abc"' }, 304],
  [{ 'if-none-match': 'W/"abc"' }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': '"x"', 'if-modified-since': modified.toUTCString() }, 200],
  [{ 'if-modified-since': modified.toUTCString() }, 304],
  [{ 'if-modified-since': 'Wed, 21 Oct 2099 07:28:00 GMT' }, 200],
])('a body requested with %j: %i', async (headers, status) => {
  const answer = await answered({ headers: headers as Record<string, string> })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('etag')).toBe('"abc"')
  expect(answer.headers.get('x-own')).toBe('yes')
  expect(await answer.text()).toBe(status === 200 ? 'Hello' : '')
})

test('HEAD sends the headers of the body only', async () => {
  const answer = await answered({ method: 'HEAD' })
  expect(answer.headers.get('content-length')).toBe('5')
  expect(await answer.text()).toBe('')
})

async function answered(
  init: RequestInit,
  fail?: (response: Parameters<typeof sendBody>[1]) => void,
): Promise<Response> {
  const route = rawRoute(
    {
      config: parseEnv({}),
      log: createLog('silent'),
      lifecycle: lifecycle(),
      refusals: refusalPace(),
    },
    {
      matches: () => true,
      failureHeaders: { 'x-frame-options': 'DENY' },
      async send(request, response) {
        fail?.(response)
        return sendBody(request, response, body)
      },
    },
  )
  const server = createServer((request, response) => route.deliver(request, response, '/'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, init)
}
