import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { slotBefore } from '@fellowship/schema/backup/backup.limits'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { uploadWindow } from '@fellowship/schema/sftp/upload-window'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { s3Client } from './machine/storage/s3-client.ts'
import { longWav } from './testing/long-wav.ts'
import { elsewhere } from './testing/once-and-whole.ts'
import { severalServers } from './testing/several-servers.ts'
import { isSwiftMissing } from './testing/swift.ts'

/**
 * The last opening of the upload window. If it were ahead of the bucket's clock, the processes would take uploads to it for
 * abandoned ones.
 */
const opened = slotBefore(new Date(), { ...uploadWindow(), time: uploadWindow().start })
/** In the processes it is Sunday, and the periodic jobs run every second instead of every hour. */
const quickSunday = `
  const Real = Date, ahead = ${opened.getTime() + 5 * 60_000 - Date.now()}
  globalThis.Date = class extends Real {
    constructor(...given) { if (given.length) super(...given); else super(Real.now() + ahead) }
    static now() { return Real.now() + ahead }
  }
  const quick = (start) => (work, ms, ...rest) =>
    start(work, ms >= 60000 && new Error().stack.includes('startChores') ? 1000 : ms, ...rest)
  globalThis.setTimeout = quick(setTimeout)
  globalThis.setInterval = quick(setInterval)`

describe.skipIf(isSwiftMissing())(
  'two processes that start at once on an empty database, on a Sunday in the upload window,',
  { timeout: 180_000 },
  async () => {
    if (isSwiftMissing()) return
    const { servers, swift, sftpPorts, sql, folderOf, start } = await severalServers(
      2,
      { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(quickSunday)}` },
      { atOnce: true, clockSkewSeconds: 8 * 86_400 },
    )
    const client = s3Client({ ...swift, bucket: 'backups' })
    const person = await servers[1]!.signIn()
    const openPorts = async () => {
      const answers = await Promise.all(sftpPorts.map(isOpen))
      return sftpPorts.filter((_, at) => answers[at])
    }
    const files = async (kind: string) => (await collected(client.list(`backups/fellowship-${kind}-`))).length
    /** The index of the process that runs the jobs for both. */
    const leaderNow = async () => {
      const [holder] = await sql<{ workshop: string }[]>`
        select workshop from leases join server_processes on owner = holder`
      const first = await readFile(path.join(folderOf(0), 'workshop'), 'utf8')
      return first.includes(holder!.workshop) ? 0 : 1
    }
    const regular = async () => {
      const rows = await sql<{ kind: string; result: string }[]>`
        select kind, result from backups order by kind, started_at`
      return rows.map(({ kind, result }) => `${kind} ${result}`)
    }

    test('creates one administrator and one set of tables', async () => {
      expect(await sql`select 1 from users`).toHaveLength(1)
      const [doubled] = await sql`select version from schema_migrations group by version having count(*) > 1`
      expect(doubled).toBeUndefined()
    })

    test('one of two processes opens SFTP, both report it', async () => {
      await expect.poll(openPorts).toHaveLength(1)
      const [port] = await openPorts()
      for (const { url } of servers)
        expect(await call(sftp.status, {}, elsewhere(person, url))).toMatchObject({
          running: true,
          port,
          sessionType: 'scheduled',
          closesAt: new Date(opened.getTime() + 3 * 60 * 60_000).toISOString(),
        })
      await delay(3_000)
      expect(await openPorts()).toEqual([port])
    })

    test('writes each backup once, then at the other process', async () => {
      const once = ['daily complete', 'weekly complete']
      await expect.poll(regular).toEqual(once)
      // Long enough for the jobs of both processes to run several times.
      await delay(4_000)
      expect(await regular()).toEqual(once)
      expect([await files('backup'), await files('database')]).toEqual([1, 1])

      const first = await leaderNow()
      await servers[first]!.stop()
      await sql`update backups set started_at = started_at - interval '8 days'`
      const twice = ['daily complete', 'daily complete', 'weekly complete', 'weekly complete']
      await expect.poll(regular, { timeout: 60_000 }).toEqual(twice)
      await delay(4_000)
      expect(await regular()).toEqual(twice)
      await expect.poll(openPorts, { timeout: 30_000 }).toEqual([sftpPorts[1 - first]])
    })

    // Only in the soak: for half a minute the killed process still counts as running.
    const kills = process.env['SEVERAL_KILLS'] ? ['weekly'] : []
    test.for(kills)('a kill during the %s backup keeps the earlier one', async () => {
      const leader = await leaderNow()
      await start(1 - leader)
      const session = elsewhere(person, servers[leader]!.url)
      for (let seed = 1; seed <= 3; seed += 1) {
        const bytes = Buffer.concat([...longWav(30_000_000, seed)])
        const files = {
          audioFile: new File([new Uint8Array(bytes)], `2026-11-0${seed}_John-Smith"Long ${seed}".wav`),
        }
        await call(uploads.smartUpload, { files }, session)
      }
      const [complete] = await collected(client.list('backups/fellowship-backup-'))
      await sql`update backups set started_at = started_at - interval '8 days'`
      await expect.poll(regular, { interval: 20 }).toContain('weekly running')
      await servers[leader]!.kill()
      expect(await collected(client.list('backups/fellowship-backup-'))).toEqual([complete])
      // A start leaves no result; a failed backup is retried after a day.
      await start(leader)
      expect(await regular()).toContain('weekly interrupted')
      await sql`update backups set started_at = started_at - interval '25 hours' where result = 'interrupted'`
      const completed = () => regular().then((all) => all.filter((each) => each === 'weekly complete').length)
      await expect.poll(completed, { timeout: 90_000 }).toBe(3)
      const [next] = await collected(client.list('backups/fellowship-backup-'))
      expect(next!.bytes).toBeGreaterThan(90_000_000)
      const [{ bytes }] = (await sql`
        select bytes from backups where kind = 'weekly' and result = 'complete' order by started_at desc limit 1`) as unknown as [
        { bytes: number },
      ]
      expect(next!.bytes).toBe(bytes)
    })
  },
)

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

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
