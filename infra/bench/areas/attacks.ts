import type { Area, BenchRow } from '../area.ts'
import { answersOf, flood, rawRequests, type FloodedCall } from '../flood.ts'
import { latencyPercentile, latencyPercentileDuring, timeIsUp } from '../latency.ts'
import { startLibrary } from '../library.ts'

const seconds = Number(process.env['ATTACK_SECONDS'] ?? 5)
const connections = 64

/** Calls of strangers that `floods` has not: they are limited per address, or refused before they cost anything. */
const calls: Record<string, FloodedCall> = {
  'sign-ins with unknown accounts': {
    path: '/api/auth/login',
    body: JSON.stringify({ email: 'nobody@example.org', password: 'a'.repeat(100) }),
  },
  'registrations of an address that is taken': {
    path: '/api/auth/register',
    body: JSON.stringify({ email: 'admin@example.org', name: 'Ruth', password: 'a-password-of-a-stranger' }),
  },
  'registrations with a web address as the name': {
    path: '/api/auth/register',
    body: JSON.stringify({
      email: 'ruth@example.org',
      name: 'Win at http://evil.example',
      password: 'a-password-of-a-stranger',
    }),
  },
}

const raw: Record<string, { request: string; leave: boolean }> = {
  'requests that are broken off at once': {
    request: 'GET /api/sync HTTP/1.1\r\nHost: localhost\r\n\r\n',
    leave: true,
  },
  'requests with two Host headers': {
    request:
      'GET /sitemap.xml HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    leave: false,
  },
}

/** How health checks fare during the attacks that `floods` and `strangers` do not make, each beside the quiet before it. */
export const attacks: Area = {
  name: 'attacks',
  needs: ['wrk'],
  async run({ report, onEnd }) {
    const library = await startLibrary({ teachings: 10_000, env: { REGISTRATION: 'open' } })
    onEnd(() => library.stop())
    const live = () => fetch(`${library.url}/api/health/live`).then((answer) => answer.text())
    const measure = async (name: string, attack: () => Promise<string>) => {
      const idle = await latencyPercentile(live, 0.99, timeIsUp(seconds * 1000))
      let came = ''
      const during = await latencyPercentileDuring(async () => (came = await attack()), live, 0.99)
      report(rowOf(`${name}, ${seconds} s (${came})`, idle, during))
    }
    for (const [name, call] of Object.entries(calls)) {
      await measure(name, async () => answersOf(await flood(library.url, call, { connections, seconds })))
    }
    for (const [name, how] of Object.entries(raw)) {
      const options = { ...how, connections, seconds }
      await measure(name, async () => `${await rawRequests(library.url, options)} sent`)
    }
  },
}

const rowOf = (work: string, idle: number, during: number): BenchRow => ({
  work: `${work}: p99 of /live`,
  product: `${during.toFixed(1)} ms`,
  yardstick: `idle ${idle.toFixed(1)} ms`,
  ratio: (during / idle).toFixed(1),
  target: '≤ 5 × idle',
  met: during <= 5 * idle,
})
