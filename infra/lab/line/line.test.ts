import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { serveLine, type LineQuality } from './line.ts'
import { compressed, profiles } from './profiles.ts'

const body = Buffer.alloc(100_000, 7)
let server: Server
let url: string
beforeAll(async () => {
  server = createServer((_, response) => response.end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))))

async function lineOf(quality: LineQuality) {
  const line = await serveLine(url, quality)
  onTestFinished(() => line.stop())
  return line
}
const fetched = async (address: string) => Buffer.from(await (await fetch(address)).arrayBuffer())

test('passes all bytes, no faster than its rate', async () => {
  const line = await lineOf({ rate: 1_600_000, delay: 20 })
  const start = performance.now()
  const both = await Promise.all([fetched(line.url), fetched(line.url)])
  const seconds = (performance.now() - start) / 1000
  expect(both.every((each) => each.equals(body))).toBe(true)
  expect(line.received()).toBeGreaterThan(200_000)
  // A slower machine takes longer, never less.
  expect(seconds).toBeGreaterThan((200_000 * 8) / 1_600_000 - 0.1)
})

test('holds all bytes back while there is no signal', async () => {
  const line = await lineOf({ rate: 8_000_000, delay: 10 })
  line.setSignal(false)
  let isThere = false
  const waiting = fetched(line.url).then((bytes) => ((isThere = true), bytes))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect([isThere, line.received()]).toEqual([false, 0])
  line.setSignal(true)
  expect((await waiting).equals(body)).toBe(true)
})

test('three of ten lines are an hour with dead spots', () => {
  expect(profiles).toHaveLength(10)
  const drives = profiles.filter(({ deadSpots }) => deadSpots.length > 0)
  expect(drives).toHaveLength(3)
  for (const { deadSpots, length } of drives) {
    expect(length).toBe(3600)
    expect(deadSpots.length).toBeGreaterThanOrEqual(10)
    const lengths = deadSpots.map(({ from, to }) => to - from)
    expect([Math.min(...lengths) >= 10, Math.max(...lengths)]).toEqual([true, 720])
    for (const [at, { to }] of deadSpots.entries())
      expect(deadSpots[at + 1]?.from ?? length).toBeGreaterThanOrEqual(to)
  }
})

test('a compressed line carries the same seconds of sound', () => {
  const [drive] = profiles.filter(({ deadSpots }) => deadSpots.length > 0)
  const quick = compressed(drive!, 10)
  expect(quick.rate * quick.length).toBe(drive!.rate * drive!.length)
  expect(quick.deadSpots).toHaveLength(drive!.deadSpots.length)
})
