import { once } from 'node:events'
import http from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { asProblem } from '../../http/on-error.ts'
import { createLog } from '../../machine/log.ts'
import { S3Unreachable } from '../../machine/storage/s3-client.ts'
import { testApp } from '../../testing/test-app.ts'

interface Line {
  level: 'debug' | 'error'
  said: { id?: string; err?: Error; method?: string; path?: string; status?: number; ms?: number }
  message: string
}

const lines: Line[] = []
const log = createLog('silent')
const note = (level: Line['level']) => (said: Line['said'], message: string) =>
  void lines.push({ level, said, message })
log.debug = note('debug') as typeof log.debug
log.error = note('error') as typeof log.error
const app = await testApp({ TRUST_PROXY: '1' }, () => ({ log }))
const { sql } = app.context

beforeEach(() => {
  lines.length = 0
})

const accessLines = () => lines.filter(({ message }) => message === 'request').map(({ said }) => said)
const idOf = (answer: Response) => answer.headers.get('x-request-id')

test.each([
  ['GET', '/api/site', 200, '/api/site?secret=1'],
  ['GET', '/api/nothing', 404, '/api/nothing?secret=1'],
  ['POST', '/api/elders', 401, '/api/elders'],
  ['GET', '/api/teachings', 200, '/api/teachings?secret=1'],
  ['GET', '/images/nothing.webp', 404, '/images/nothing.webp?secret=1'],
  ['other', '/api/site', 405, '/api/site'],
])('%s %s logs an access line without query', async (method, path, status, address) => {
  const answer = await fetch(app.url + address, {
    method: method === 'other' ? 'PROPFIND' : method,
    headers: { cookie: 'sid=secret', authorization: 'secret' },
  })
  await answer.text()
  await expect.poll(accessLines).toHaveLength(1)
  const [line] = accessLines()
  expect(line).toEqual({ id: idOf(answer), method, path, status, ms: expect.any(Number) as number })
  expect(JSON.stringify(lines)).not.toContain('secret')
})

test('an aborted request logs status 499', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': 100 }
  const request = http.request(`${app.url}/api/auth/login`, { method: 'POST', headers, agent: false })
  request.once('error', () => undefined)
  const arrived = once(app.server, 'request')
  request.write('{')
  await arrived
  request.destroy()
  await expect.poll(accessLines).toMatchObject([{ method: 'POST', path: '/api/auth/login', status: 499 }])
})

test.each([
  ['a call', '/api/site', 'visit_details'],
  ['a route before the framework', '/api/elders', 'elders'],
])('logs an error of %s once, with its request id', async (_, path, table) => {
  await sql`alter table ${sql(table)} rename to away`
  const answer = await fetch(app.url + path, { headers: { 'x-request-id': 'from-the-proxy-1' } })
  await sql`alter table away rename to ${sql(table)}`
  expect([answer.status, idOf(answer)]).toEqual([500, 'from-the-proxy-1'])
  const errors = lines.filter(({ level }) => level === 'error')
  expect(errors).toMatchObject([{ said: { id: 'from-the-proxy-1' }, message: 'request failed' }])
  expect(errors[0]!.said.err!.message).toContain(table)
  await expect.poll(accessLines).toMatchObject([{ id: 'from-the-proxy-1', status: 500 }])
})

test('logs no error for a store that was left alone', () => {
  const levels = [true, false].map((wasAsked) => {
    lines.length = 0
    const { status } = asProblem(new S3Unreachable('no answer', { wasAsked }), app.context)
    return [status, ...lines.map(({ level }) => level)]
  })
  expect(levels).toEqual([
    [503, 'error'],
    [503, 'debug'],
  ])
})
