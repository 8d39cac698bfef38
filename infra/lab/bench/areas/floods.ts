import { readdir } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import type { Area, BenchRow } from '../area.ts'
import { answersOf, flood, heldStreams, hostileRecordings, slowBodies, type FloodedCall } from '../flood.ts'
import { latencyPercentile, latencyPercentileDuring, timeIsUp } from '../latency.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { pageCalls } from '../page-calls.ts'
import { peakMegabytes, resetPeak } from '../peak-memory.ts'

const seconds = Number(process.env['FLOOD_SECONDS'] ?? 60)
const connections = 64
const teachings = 100_000
const slowConnections = 500
const streams = 3_000
const hostile = { bytes: 20_000_000, atOnce: 4 }

/** What strangers' floods do to a library of 100,000 teachings: health checks, memory and descriptors meanwhile. */
export const floods: Area = {
  name: 'floods',
  needs: ['wrk'],
  async run({ report, onEnd }) {
    const library = await startLibrary({ teachings })
    onEnd(() => library.stop())
    const live = () => fetch(`${library.url}/api/health/live`).then((answer) => answer.text())
    const idle = await latencyPercentile(live, 0.99, timeIsUp(5_000))
    for (const [name, call] of Object.entries(await dearestCalls(library))) {
      // What is made once for each revision is made before: it counts to whoever changed the library.
      await flood(library.url, call, { connections: 1, seconds: 5 })
      const measured = await during(library, live, () => flood(library.url, call, { connections, seconds }))
      report(rowOf(`${connections} connections, ${name}`, idle, measured, answersOf(measured.result)))
    }
    // Starts the threads that read recordings, which stay.
    await hostileRecordings(library.url, { bytes: 1000, atOnce: hostile.atOnce, seconds: 1 })
    for (const [name, attack] of Object.entries(otherAttacks(library))) {
      const measured = await during(library, live, attack)
      report(rowOf(name, idle, measured, measured.result))
    }
  },
}

/** What is not one call again and again; each says what came of it. */
const otherAttacks = ({ url }: BenchLibrary): Record<string, () => Promise<string>> => ({
  [`${slowConnections} bodies at a byte a second`]: async () =>
    `${await slowBodies(url, { path: '/api/auth/login', connections: slowConnections, seconds })} ended by the server`,
  [`${streams} event streams from one address`]: async () =>
    `${await heldStreams(url, { connections: streams, seconds })} admitted`,
  [`${hostile.atOnce} hostile recordings of ${hostile.bytes / 1e6} MB at once from one person`]: async () =>
    `${await hostileRecordings(url, { ...hostile, seconds })} refused`,
})

/** The calls that cost most for the least asking. */
async function dearestCalls(library: BenchLibrary): Promise<Record<string, FloodedCall>> {
  const { url } = library
  const first = await fetch(`${url}/api/sync`)
  const { next } = (await first.json()) as { next: string }
  return {
    'sync without an ETag': { path: `/api/sync?since=${encodeURIComponent(next)}` },
    'the whole library by sync': { path: '/api/sync', headers: { 'accept-encoding': 'br' } },
    'searches, each another': { path: '/api/teachings/search?q=a%d' },
    'the sitemap': { path: '/sitemap.xml', headers: { 'accept-encoding': 'gzip' } },
    'the sitemap by made-up names': { path: '/sitemap.xml', hosts: true },
    'made-up reset links': {
      path: '/api/auth/reset-password',
      body: JSON.stringify({ token: randomUUID(), password: 'a'.repeat(255) }),
    },
    ...(await pageCalls(library)),
  }
}

interface Measured<T> {
  result: T
  /** Of `/api/health/live`, in milliseconds. */
  p99: number
  /** Growth of the server's peak of resident memory. */
  megabytes: number
  descriptors: { before: number; most: number; after: number }
}

async function during<T>(
  { pid }: BenchLibrary,
  live: () => Promise<unknown>,
  attack: () => Promise<T>,
): Promise<Measured<T>> {
  const before = await openDescriptors(pid)
  const resident = await resetPeak(pid)
  let result: T
  let most = before
  const counting = setInterval(() => {
    void openDescriptors(pid).then((count) => (most = Math.max(most, count)))
  }, 500)
  const work = async () => (result = await attack())
  const p99 = await latencyPercentileDuring(work, live, 0.99).finally(() => clearInterval(counting))
  const megabytes = (await peakMegabytes(pid)) - resident
  return { result: result!, p99, megabytes, descriptors: { before, most, after: await settled(pid, before) } }
}

const openDescriptors = async (pid: number) => (await readdir(`/proc/${pid}/fd`)).length

/** Connections to the database, of which there are ten at most, and those of the health checks. */
const spareDescriptors = 15

/** The descriptors once closed connections are gone, or ten seconds later. */
async function settled(pid: number, before: number): Promise<number> {
  const isOver = timeIsUp(10_000)
  for (;;) {
    const count = await openDescriptors(pid)
    if (count <= before + spareDescriptors || isOver()) return count
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function rowOf(
  name: string,
  idle: number,
  { p99, megabytes, descriptors: { before, most, after } }: Measured<unknown>,
  answers: string,
): BenchRow {
  return {
    work: `${name}, ${seconds} s at ${teachings.toLocaleString('en-NZ')} teachings (${answers}): p99 of /live`,
    product: `${p99.toFixed(1)} ms; memory + ${megabytes.toFixed(0)} MB; descriptors ${before}, ${most}, ${after}`,
    yardstick: `idle ${idle.toFixed(1)} ms`,
    ratio: (p99 / idle).toFixed(1),
    target: '≤ 5 × idle, + ≤ 200 MB, descriptors given back',
    met: p99 <= 5 * idle && megabytes <= 200 && after <= before + spareDescriptors,
  }
}
