import { auth } from '@fellowship/schema/auth/auth.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import type { Area, BenchRow } from '../area.ts'
import { answersOf, flood, rawRequests, type FloodedCall, type RawRequests } from '../flood.ts'
import { latencyPercentile, latencyPercentileDuring, timeIsUp } from '../latency.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { sftpChannels, startSshd } from '../openssh.ts'
import { openSftp } from '../sound-desk.ts'

const seconds = Number(process.env['ATTACK_SECONDS'] ?? 5)
const connections = 64
const channels = 16

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

const raw: Record<string, Pick<RawRequests, 'request' | 'leave'>> = {
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

/** Of one signed-in person. */
async function ownRequests({ browser }: BenchLibrary): Promise<typeof raw> {
  const { csrfToken } = await call(auth.csrfToken, {}, browser)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const post = (address: string, headers: Record<string, string>, body = '') => ({
    request: [
      `POST ${address} HTTP/1.1`,
      ...Object.entries({
        host: 'localhost',
        connection: 'close',
        cookie,
        'x-csrf-token': csrfToken,
        ...headers,
      }).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
    leave: false,
  })
  const begun = (filename: string) => ({
    'tus-resumable': '1.0.0',
    'upload-length': '1000000',
    'upload-metadata': `filename ${Buffer.from(filename).toString('base64')}`,
    'content-length': '0',
  })
  const part = '--b\r\ncontent-disposition: form-data; name="audioFile"; filename="a.mp3"\r\n\r\n'
  return {
    'uploads with a NUL in their metadata': post('/api/uploads', begun('a\0.mp3')),
    'uploads that are begun and left': post('/api/uploads', begun('a.mp3')),
    'forms without a length that never end': post(
      uploads.smartUpload.path,
      { 'content-type': 'multipart/form-data; boundary=b', 'transfer-encoding': 'chunked' },
      `${part.length.toString(16)}\r\n${part}\r\n`,
    ),
  }
}

/** How health checks fare during the attacks that `floods` and `strangers` do not make, each beside the quiet before it. */
export const attacks: Area = {
  name: 'attacks',
  needs: ['wrk', 'sftp', 'sshd'],
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
    for (const [name, stranger] of Object.entries(calls)) {
      await measure(name, async () => answersOf(await flood(library.url, stranger, { connections, seconds })))
    }
    for (const [name, how] of Object.entries({ ...raw, ...(await ownRequests(library)) })) {
      const options = { ...how, connections, seconds }
      await measure(name, async () => `${await rawRequests(library.url, options)} sent`)
    }
    const sshd = await startSshd()
    onEnd(() => sshd.stop())
    const place = await openSftp(library, sshd)
    await measure(`${channels} SFTP channels of one connection at once`, async () => {
      const { opened, refused } = await sftpChannels(place, { atOnce: channels, seconds })
      return `${opened} opened, ${refused} refused`
    })
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
