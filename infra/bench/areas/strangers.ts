import { randomUUID } from 'node:crypto'
import type { Area, BenchRow } from '../area.ts'
import { latencyPercentile, latencyPercentileDuring, timeIsUp } from '../latency.ts'
import { startLibrary } from '../library.ts'
import { median } from '../rounds.ts'

/** The calls that cost most for the least asking, each as a stranger sends it. */
const questions: Record<string, (at: number, since: string) => [path: string, init?: RequestInit]> = {
  'sync without an ETag': (_, since) => [`/api/sync?since=${encodeURIComponent(since)}`],
  'search for a letter': () => ['/api/teachings/search?q=a'],
  'searches, each another': (at) => [`/api/teachings/search?q=a${at}`],
  'the sitemap': () => ['/sitemap.xml'],
  'the feed': () => ['/feed.xml'],
  'made-up reset links': () => [
    '/api/auth/reset-password',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: randomUUID(), password: 'a'.repeat(255) }),
    },
  ],
}
const connections = 8
const seconds = 3

/** What strangers' questions cost at three sizes of the library, and how health checks fare meanwhile. */
export const strangers: Area = {
  name: 'strangers',
  needs: [],
  async run({ report, onEnd }) {
    for (const count of [1_000, 10_000, 100_000]) {
      const library = await startLibrary({ teachings: count })
      onEnd(() => library.stop())
      const live = () => fetch(`${library.url}/api/health/live`).then((answer) => answer.text())
      const first = await fetch(`${library.url}/api/sync`)
      const { next: since } = (await first.json()) as { next: string }
      for (const [name, question] of Object.entries(questions)) {
        const ask = async (at: number) => {
          const [path, init] = question(at, since)
          const answer = await fetch(library.url + path, init)
          return (await answer.arrayBuffer()).byteLength
        }
        const bytes = await ask(0)
        const times: number[] = []
        for (let at = 1; at <= 10; at++) {
          const began = performance.now()
          await ask(at)
          times.push(performance.now() - began)
        }
        const idle = await latencyPercentile(live, 0.99, timeIsUp(seconds * 1000))
        const flooded = await latencyPercentileDuring(() => flood(ask), live, 0.99)
        report(rowOf(`${count.toLocaleString('en-NZ')} teachings, ${name}`, { bytes, times, idle, flooded }))
      }
      await library.stop()
    }
  },
}

/** Asks over several connections for some seconds. */
async function flood(ask: (at: number) => Promise<unknown>): Promise<void> {
  const isOver = timeIsUp(seconds * 1000)
  let asked = 10
  const connection = async () => {
    while (!isOver()) await ask((asked += 1))
  }
  await Promise.all(Array.from({ length: connections }, connection))
}

function rowOf(
  work: string,
  { bytes, times, idle, flooded }: { bytes: number; times: number[]; idle: number; flooded: number },
): BenchRow {
  return {
    work: `${work}: p50 of one, its bytes; p99 of /live meanwhile`,
    product: `${median(times).toFixed(1)} ms, ${bytes} B; ${flooded.toFixed(1)} ms`,
    yardstick: `idle ${idle.toFixed(1)} ms`,
    ratio: (flooded / idle).toFixed(1),
    target: '≤ 5 × idle',
    met: flooded <= 5 * idle,
  }
}
