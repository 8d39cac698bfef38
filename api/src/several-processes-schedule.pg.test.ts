import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { call } from '@fellowship/sync/call/call'
import { s3Client } from './machine/storage/s3-client.ts'
import { elsewhere } from './testing/mixed-load.ts'
import { severalServers } from './testing/several-servers.ts'
import { isSwiftMissing } from './testing/swift.ts'

/** A Sunday with the upload window open, in a week whose backup is due. */
const sunday = '2026-11-29T11:05+13:00'
/** In the processes it is Sunday, and the periodic jobs run each second instead of each hour. */
const quickSunday = `
  const Real = Date, ahead = ${Date.parse(sunday) - Date.now()}
  globalThis.Date = class extends Real {
    constructor(...given) { if (given.length) super(...given); else super(Real.now() + ahead) }
    static now() { return Real.now() + ahead }
  }
  const { setTimeout: once, setInterval: often } = globalThis
  globalThis.setTimeout = (work, ms, ...rest) => once(work, ms === 60000 ? 1000 : ms, ...rest)
  globalThis.setInterval = (work, ms, ...rest) => often(work, ms === 3600000 ? 1000 : ms, ...rest)`

describe.skipIf(isSwiftMissing())(
  'two processes that start at once on an empty database, on a Sunday in the upload window,',
  { timeout: 120_000 },
  async () => {
    if (isSwiftMissing()) return
    const { servers, swift, sftpPorts, sql, folderOf } = await severalServers(
      2,
      { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(quickSunday)}` },
      { atOnce: true, clockSkewSeconds: 366 * 86_400 },
    )
    const client = s3Client({ ...swift, bucket: 'backups' })
    const person = await servers[1]!.signIn()
    const openPorts = async () => {
      const answers = await Promise.all(sftpPorts.map(isOpen))
      return sftpPorts.filter((_, at) => answers[at])
    }
    const files = async (kind: string) => {
      const names: string[] = []
      for await (const { key } of client.list(`backups/fellowship-${kind}-`)) names.push(key)
      return names.length
    }
    const placeOf = async (workshop: string) =>
      (await readFile(path.join(folderOf(0), 'workshop'), 'utf8')).includes(workshop) ? 0 : 1
    const regular = async () => {
      const rows = await sql<{ kind: string; result: string }[]>`
        select kind, result from backups order by kind, started_at`
      return rows.map(({ kind, result }) => `${kind} ${result}`)
    }

    test('there is one administrator, and one of each table', async () => {
      expect(await sql`select 1 from users`).toHaveLength(1)
      const [doubled] = await sql`select version from schema_migrations group by version having count(*) > 1`
      expect(doubled).toBeUndefined()
    })

    test('SFTP opens for the window at one of them, and both say so', async () => {
      await expect.poll(openPorts).toHaveLength(1)
      const [port] = await openPorts()
      for (const { url } of servers)
        expect(await call(sftp.status, {}, elsewhere(person, url))).toMatchObject({
          running: true,
          port,
          sessionType: 'scheduled',
          closesAt: '2026-11-29T01:00:00.000Z',
        })
      await delay(3_000)
      expect(await openPorts()).toEqual([port])
    })

    test('the weekly backup and the daily file of the database are made once, and the next ones by the other process', async () => {
      const once = ['daily complete', 'weekly complete']
      await expect.poll(regular).toEqual(once)
      // As long as it takes for the jobs of both to come several times.
      await delay(4_000)
      expect(await regular()).toEqual(once)
      expect([await files('backup'), await files('database')]).toEqual([1, 1])

      const [holder] = await sql<{ workshop: string }[]>`
        select workshop from leases join server_processes on owner = holder`
      const first = await placeOf(holder!.workshop)
      await servers[first]!.stop()
      await sql`update backups set started_at = started_at - interval '8 days'`
      const twice = ['daily complete', 'daily complete', 'weekly complete', 'weekly complete']
      await expect.poll(regular, { timeout: 60_000 }).toEqual(twice)
      await delay(4_000)
      expect(await regular()).toEqual(twice)
      await expect.poll(openPorts, { timeout: 30_000 }).toEqual([sftpPorts[1 - first]])
    })
  },
)

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
