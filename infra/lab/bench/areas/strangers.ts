import { randomUUID } from 'node:crypto'
import type { Area, BenchRow } from '../area.ts'
import { flood, type FloodedCall } from '../flood.ts'
import { latencyPercentile, latencyPercentileDuring, timeIsUp } from '../latency.ts'
import { startLibrary } from '../library.ts'
import { pageCalls } from '../page-calls.ts'
import { median } from '../rounds.ts'

/** The calls that cost most for the least asking, each as a stranger sends it; `%d` is another number each time. */
const questions = (since: string): Record<string, FloodedCall> => ({
  'sync without an ETag': { path: `/api/sync?since=${encodeURIComponent(since)}` },
  'search for a letter': { path: '/api/teachings/search?q=a' },
  'searches, each another': { path: '/api/teachings/search?q=a%d' },
  'the sitemap': { path: '/sitemap.xml' },
  'the feed': { path: '/feed.xml' },
  'made-up reset links': {
    path: '/api/auth/reset-password',
    body: JSON.stringify({ token: randomUUID(), password: 'a'.repeat(255) }),
  },
})
const connections = 8
const seconds = 3

/** What strangers' questions cost at three sizes of the library, and how health checks fare meanwhile. */
export const strangers: Area = {
  name: 'strangers',
  needs: ['wrk'],
  async run({ report, onEnd }) {
    for (const count of [1_000, 10_000, 100_000]) {
      const library = await startLibrary({ teachings: count })
      onEnd(() => library.stop())
      const live = () => fetch(`${library.url}/api/health/live`).then((answer) => answer.text())
      const first = await fetch(`${library.url}/api/sync`)
      const { next: since } = (await first.json()) as { next: string }
      const pages = await pageCalls(library)
      for (const [name, question] of Object.entries({ ...questions(since), ...pages })) {
        const bytes = await ask(library.url, question, 0)
        const times: number[] = []
        for (let at = 1; at <= 10; at++) {
          const began = performance.now()
          await ask(library.url, question, at)
          times.push(performance.now() - began)
        }
        const idle = await latencyPercentile(live, 0.99, timeIsUp(seconds * 1000))
        const others = () => flood(library.url, question, { connections, seconds })
        const flooded = await latencyPercentileDuring(others, live, 0.99)
        report(rowOf(`${count.toLocaleString('en-NZ')} teachings, ${name}`, { bytes, times, idle, flooded }))
      }
      await library.stop()
    }
  },
}

/** Asks once; returns the bytes of the answer. */
async function ask(url: string, call: FloodedCall, at: number): Promise<number> {
  const { path, paths, body, headers } = call
  const json = { 'content-type': 'application/json' }
  const init = body === undefined ? { headers: headers ?? {} } : { method: 'POST', headers: json, body }
  const answer = await fetch(url + (paths?.[at] ?? path.replace('%d', `${at}`)), init)
  return (await answer.arrayBuffer()).byteLength
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
