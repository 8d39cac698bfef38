import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { embeddedUser } from '@fellowship/api/db/embedded'
import { openDatabase } from '@fellowship/api/db/database'
import { openSwift } from '@fellowship/api/testing/swift-process'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import { call } from '@fellowship/sync/call/call'
import { cookieTransport } from '../../../dev/cookie-transport.ts'
import { administrator, startProduct } from '../../../e2e/support/product.ts'
import type { Area, Run } from '../area.ts'
import { limitToShare } from '../core-share.ts'
import { exchange } from '../exchange.ts'
import { insertTeachings } from '../library.ts'
import { startNginx } from '../nginx.ts'
import { ratioText, sideBySide } from '../rounds.ts'
import { load } from '../wrk.ts'

const teachings = 2_000
const connections = 32

/** Of a core, for each process: the rest is for PostgreSQL, nginx and the load. */
const share = 0.2

/**
 * Two processes on one database and one bucket behind nginx, against one of them behind the same nginx: as they are, when all
 * share the cores of this machine with PostgreSQL, nginx and the load, and with a fifth of a core for each, as on small machines
 * of their own.
 */
export const several: Area = {
  name: 'several',
  needs: ['nginx', 'wrk'],
  async run({ report, onEnd }) {
    const servers = await startServers(2, onEnd)
    const urls = servers.map(({ url }) => url)
    const [two, one] = [await startNginx(urls), await startNginx(urls.slice(0, 1))]
    onEnd(() => two.stop())
    onEnd(() => one.stop())
    const person = cookieTransport(one.url)
    await call(auth.login, { body: administrator }, person)
    const session = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const gzip = { 'accept-encoding': 'gzip' }
    const pull = `/api/sync?schema=${clientSchema}`
    const { next } = JSON.parse((await exchange(one.url + pull)).body.toString()) as { next: string }
    const sinceNow = `${pull}&since=${encodeURIComponent(next)}`
    const { etag } = (await exchange(one.url + sinceNow, { headers: gzip })).headers
    const requests: [work: string, address: string, headers: Record<string, string>][] = [
      [
        'the library’s page in a reader’s own display',
        '/teaching',
        { ...gzip, cookie: 'comfort=large.more' },
      ],
      ['who is signed in, by the session in the database', auth.currentUser.path, { cookie: session }],
      ['a pull without changes (304)', sinceNow, { ...gzip, 'if-none-match': etag! }],
      ['catalogue of 2,000, compressed', '/api/teachings', gzip],
    ]
    const measure = async (how: string, [work, address, headers]: (typeof requests)[number]) => {
      const rate = async (url: string) => (await load({ url: url + address, connections, headers })).perSecond
      const measured = await sideBySide(
        () => rate(two.url),
        () => rate(one.url),
        3,
      )
      report({
        work: `${work}, ${connections} at once, ${how}`,
        product: `two processes ${measured.product.toFixed(0)} req/s`,
        yardstick: `one process ${measured.yardstick.toFixed(0)} req/s`,
        ratio: ratioText(measured.ratios),
        target: '–',
        met: true,
      })
    }
    for (const request of requests.slice(0, 2)) await measure('all on this machine', request)
    for (const { pid } of servers) onEnd(await limitToShare(pid, share))
    for (const request of requests) await measure(`${share} of a core for each`, request)
  },
}

async function startServers(count: number, onEnd: Run['onEnd']): Promise<{ url: string; pid: number }[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-several-'))
  await chmod(folder, 0o755)
  onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const swift = await openSwift()
  onEnd(() => swift.stop())
  const dataDir = path.join(folder, 'database')
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, { applicationName: 'bench' })
  onEnd(() => database.close())
  await insertTeachings(database.sql, teachings)
  if (!('socketFolder' in database.place)) throw new Error('The embedded database has a socket.')
  const env = {
    // The embedded PostgreSQL listens at a socket alone, which no address names.
    DATABASE_URL: `postgres:///${database.place.database}`,
    PGHOST: database.place.socketFolder,
    PGUSER: embeddedUser,
    APP_SECRET: 's'.repeat(64),
    LOG_LEVEL: 'error',
    ...swift.forRecordings,
  }
  const servers: { url: string; pid: number }[] = []
  for (let at = 0; at < count; at += 1) {
    const product = await startProduct(env, { dataDir: path.join(folder, String(at)) })
    onEnd(() => product.stop())
    servers.push({ url: product.url, pid: product.process.pid! })
  }
  return servers
}
