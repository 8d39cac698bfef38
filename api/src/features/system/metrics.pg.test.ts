import { expect, test } from 'vitest'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const token = 'a-token-that-nobody-guesses'
const closed = await testApp({ METRICS_TOKEN: token, TRUST_PROXY: '1' })

test('the metrics are not there for callers behind a proxy', async () => {
  const answer = await fetch(`${app.url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  expect([answer.status, await answer.text()]).toEqual([404, 'There is nothing at this address.'])
})

test.each([undefined, 'Bearer wrong', token])('with METRICS_TOKEN, %s is refused', async (authorization) => {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  expect((await fetch(`${closed.url}/metrics`, { headers })).status).toBe(404)
})

test('requests are counted by route, not by address, beside the state of the product', async () => {
  for (const id of [1, 2, 3]) await fetch(`${closed.url}/api/elders/${id}`, { method: 'DELETE' })
  await fetch(`${closed.url}/nobody/made/this/up`)
  const answer = await fetch(`${closed.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/)
  const text = await answer.text()
  expect(text).toContain('request_seconds_count{method="DELETE",route="/api/elders/:id",status="401"} 3')
  expect(text).toContain('route="other",status="404"')
  expect(text).not.toContain('made')
  expect(text).toMatch(/^fellowship_storage_free_bytes [1-9]/m)
  expect(text).toMatch(/^fellowship_database_connections_idle \d/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
})

test('each answer of the API carries an id: its own, or the one of a trusted proxy', async () => {
  const given = { 'x-request-id': 'from-the-proxy-1' }
  const idOf = async (url: string) => (await fetch(url, { headers: given })).headers.get('x-request-id')
  expect(await idOf(`${closed.url}/api/teachings`)).toBe('from-the-proxy-1')
  expect(await idOf(`${closed.url}/api/nothing`)).toBe('from-the-proxy-1')
  expect(await idOf(`${app.url}/api/elders`)).toMatch(/^[0-9a-f-]{36}$/)
})
