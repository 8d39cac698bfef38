import { expect, test } from 'vitest'
import { requestCounts } from './metrics.ts'

test('prints nothing but the names before the first request', () => {
  const lines = requestCounts().print().trimEnd().split('\n')
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([])
})

test('counts running requests, then their time in cumulative buckets', () => {
  const { begin, print } = requestCounts()
  const end = begin('/api/teachings')
  begin('/api/teachings')
  expect(print()).toContain('fellowship_http_requests_running{route="/api/teachings"} 2\n')
  expect(print()).not.toContain('_bucket')
  end('GET', 304)
  const labels = 'method="GET",route="/api/teachings",status="304"'
  expect(print()).toContain('fellowship_http_requests_running{route="/api/teachings"} 1\n')
  expect(print()).toContain(`fellowship_http_request_seconds_count{${labels}} 1\n`)
  const buckets = print()
    .split('\n')
    .filter((line) => line.startsWith(`fellowship_http_request_seconds_bucket{${labels},`))
  const counts = buckets.map((line) => Number(line.split(' ').at(-1)))
  expect(counts).toHaveLength(11)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(buckets.at(-1)).toMatch(/le="\+Inf"} 1$/)
})

test('keeps the statuses and methods of a route apart', () => {
  const { begin, print } = requestCounts()
  for (const [method, status] of [
    ['GET', 200],
    ['GET', 200],
    ['HEAD', 200],
    ['GET', 503],
  ] as const)
    begin('/audio/*')(method, status)
  const counted = print()
    .split('\n')
    .filter((line) => line.includes('_count'))
    .map((line) => /method="(\w+)".*status="(\d+)"} (\d+)/.exec(line)?.slice(1))
  expect(counted).toEqual([
    ['GET', '200', '2'],
    ['HEAD', '200', '1'],
    ['GET', '503', '1'],
  ])
})
