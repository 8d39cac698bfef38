import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem } from '@fellowship/schema/problem'
import type { Env } from './caller.ts'
import { readJson } from './input.ts'

let lastError: unknown
const app = new Hono<Env>()
app.post('/', async (http) => http.json(await readJson(http, 50)))
/** With time enough that a caller has left before it is over. */
app.post('/patient', async (http) => http.json(await readJson(http, 20_000)))
app.onError((error, http) => {
  lastError = error
  return http.json({ code: error instanceof Problem ? error.code : String(error) })
})
const listener = getRequestListener(app.fetch, { autoCleanupIncoming: false })
const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => server.close())

/** Begins a request; the caller sends its body. */
const begin = (path = '/') =>
  request({
    path,
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
  })

/** The answer to a body in these parts; left open, it never ends. */
async function answerTo(parts: string[], { isOpen = false } = {}): Promise<unknown> {
  const sent = begin()
  const answer = once(sent, 'response') as Promise<[IncomingMessage]>
  for (const part of parts) sent.write(part)
  if (!isOpen) sent.end()
  const [response] = await answer
  const body = JSON.parse(await text(response)) as unknown
  sent.destroy()
  return body
}

test('a body that does not end in time is refused', async () => {
  expect(await answerTo(['{"a":'], { isOpen: true })).toEqual({ code: 'too_slow' })
})

test('refuses a body that is too long before its end', async () => {
  expect(await answerTo(['x'.repeat(70_000)], { isOpen: true })).toEqual({ code: 'too_large' })
})

test('a body whose caller leaves is given up', async () => {
  lastError = undefined
  const sent = begin('/patient')
  sent.on('error', () => undefined)
  const arrived = once(server, 'request')
  sent.write('{"a":')
  await arrived
  sent.destroy()
  await expect.poll(() => lastError).toMatchObject({ code: 'ECONNRESET' })
})

test('a body in parts is read', async () => {
  expect(await answerTo(['{"a"', ':1}'])).toEqual({ a: 1 })
})

test('no body at all reads as an empty object', async () => {
  expect(await answerTo([])).toEqual({})
})
