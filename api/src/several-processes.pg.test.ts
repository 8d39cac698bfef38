import { execFile } from 'node:child_process'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { exampleCaddy, isCaddyMissing } from './testing/example-proxies.ts'
import { longWav } from './testing/multipart.ts'
import { emptyTally, uploadPatiently } from './testing/persistent-client.ts'
import { refusal, testClient, type TestClient } from './testing/test-client.ts'
import { serverProgram, startServer, type ServerProcess } from './testing/server-process.ts'
import { severalServers } from './testing/several-servers.ts'
import { connectClient } from './testing/sftp-client.ts'
import { exampleNginx, isNginxMissing } from './testing/stock-nginx.ts'
import { isSwiftMissing } from './testing/swift.ts'
import { tusClient } from './testing/tus.ts'

const email = 'admin@example.org'
const password = 'a-long-sentence-only-you-know'
const isMissing = isSwiftMissing() || isNginxMissing()

describe.skipIf(isMissing)(
  'two processes on one database and one bucket, behind nginx as the example has it',
  { timeout: 120_000 },
  async () => {
    if (isMissing) return
    const { servers, settings, sftpPorts, sql, database, folderOf, start } = await severalServers(2)
    const url = await exampleNginx(servers.map((server) => server.url))
    const listed = (base: string) => call(teachings.list, {}, { fetch, base })

    test.each([
      ['with recordings on its own disk', 'third', false, /this one keeps recordings on its own disk/],
      [
        'on the data folder of the first one',
        0,
        true,
        /with this DATA_DIR, or with the folder it was copied from/,
      ],
    ] as const)('refuses a third process %s', async (_, folder, hasBucket, sentence) => {
      const own = hasBucket ? settings : { DATABASE_URL: database.url }
      const env = { ...process.env, ...own, PORT: '0', SFTP_PORT: '0', DATA_DIR: folderOf(folder) }
      const cwd = path.join(import.meta.dirname, '..')
      const stderr = await new Promise<string>((resolve) =>
        execFile(process.execPath, serverProgram, { cwd, env }, (_error, _out, text) => resolve(text)),
      )
      expect(stderr).toMatch(/could not start: Another process of the product /)
      expect(stderr).toMatch(sentence)
    })

    test('serves from one of two processes on one data folder', async () => {
      const starts = await Promise.allSettled(
        [1, 2].map(() => startServer(folderOf('shared'), { ...settings, SFTP_PORT: '0' })),
      )
      const started = starts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      onTestFinished(() => Promise.all(started.map((server) => server.kill())).then(() => undefined))
      expect(started).toHaveLength(1)
      expect((await fetch(`${started[0]!.url}/api/health/ready`)).status).toBe(200)
    })

    test('a session, upload and edit count at both processes', async () => {
      const person = await signedIn()
      const wav = recording(1)
      const teaching = await uploadPatiently(person, wav, 'By both')
      const title = 'Edited by both'
      const { speaker, date } = teaching
      const body = { title, speaker, date, scriptureReference: '', baseRev: teaching.rev, uid: teaching.uid }
      await call(teachings.update, { params: { id: teaching.id }, body }, person)
      for (const server of servers) {
        expect((await listed(server.url)).map((each) => each.title)).toContain(title)
        expect(await (await fetch(`${server.url}/sitemap.xml`)).text()).toContain('edited-by-both')
        const part = await fetch(server.url + teaching.audioUrl!, { headers: { range: 'bytes=1000-1999' } })
        expect(Buffer.from(await part.arrayBuffer()).equals(wav.subarray(1000, 2000))).toBe(true)
      }
      await call(auth.logout, {}, person)
      for (const server of servers) {
        const same = sameAs(person, server.url)
        const parsing = call(uploads.parseFilename, { body: { filename: 'a' } }, same)
        expect((await refusal(parsing)).status).toBe(401)
      }
    })

    // Without sticky routing an upload would start again at the other process, and a backup would not be found.
    test.skipIf(isCaddyMissing())('the Caddy example keeps uploads and people with one process', async () => {
      const caddy = await exampleCaddy(servers.map((server) => server.url))
      const tally = emptyTally()
      const rounds = 2
      for (let round = 0; round < rounds; round += 1) {
        const person = await signedIn(caddy)
        await uploadPatiently(person, recording(50 + round), `By Caddy ${round}`, tally)
        const { id, bytes } = await call(backup.prepare, {}, person)
        const file = await person.fetch(`${caddy}${backup.createManual.path}?id=${id}`)
        expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, bytes])
      }
      // A token, its creation, three parts, publishing it, and five requests for its offset.
      expect(tally).toEqual({ requests: 11 * rounds, failures: 0, deferred: 0 })
    })

    test("one of two processes takes an upload's first bytes", async () => {
      const person = await signedIn()
      const { csrfToken } = await call(auth.csrfToken, {}, person)
      const clients = servers.map((server) => sameAs(person, server.url))
      const at = clients.map((client) => tusClient(client, csrfToken))
      for (let round = 0; round < 3; round += 1) {
        const id = uuidv7(Date.now())
        const sent = [recording(100 + round), recording(200 + round)]
        const creator = at[round % 2]!
        expect((await creator.create(sent[0]!.length, { jobId: id, filename: 'a.wav' })).status).toBe(201)
        const answers = await Promise.all(sent.map((bytes, by) => at[by]!.patch(id, 0, bytes)))
        const statuses = answers.map(({ status }) => status)
        expect(statuses.toSorted((a, b) => a - b)).toEqual([204, expect.toBeOneOf([409, 423])])
        const taker = statuses.indexOf(204)
        // The refused process refuses every offset, and cannot publish the upload.
        expect((await at[1 - taker]!.patch(id, sent[0]!.length, Buffer.alloc(0))).status).toBe(409)
        expect(await at[taker]!.head(id)).toMatchObject({ status: 200, offset: sent[taker]!.length })
        const body = { title: `At once ${round}`, speaker: 'John Smith', date: '2026-11-22' }
        const publish = (by: number) => call(uploads.finalize, { params: { id }, body }, clients[by]!)
        expect((await refusal(publish(1 - taker))).code).toBe('upload_busy')
        const { teaching } = await publish(taker)
        for (const server of servers) {
          // A busy object store may refuse a read; a player then asks again, too.
          const stored = async () => {
            const answer = await fetch(server.url + teaching.audioUrl!)
            const bytes = Buffer.from(await answer.arrayBuffer())
            return [answer.status, bytes.length, bytes.equals(sent[taker]!)]
          }
          await expect.poll(stored).toEqual([200, sent[taker]!.length, true])
        }
      }
      expect((await listed(url)).filter(({ title }) => title.startsWith('At once'))).toHaveLength(3)
    })

    test('a change reaches listeners at the other process', async () => {
      const person = await signedIn()
      const events = await Promise.all(servers.map(listen))
      await uploadPatiently(person, recording(2), 'Told')
      for (const heard of events) await expect.poll(heard, { timeout: 30_000 }).toBeGreaterThan(0)
      const before = events.map((heard) => heard())
      database.cut()
      // Changes that were missed without a connection are announced by the new one.
      await sql`update teachings set title = 'While cut' where title = 'Told'`
      for (const [at, heard] of events.entries())
        await expect.poll(heard, { timeout: 60_000 }).toBeGreaterThan(before[at]!)
      for (const server of servers) {
        const titles = async () => (await listed(server.url)).map((each) => each.title)
        await expect.poll(titles, { timeout: 30_000 }).toContain('While cut')
      }
    })

    test('SFTP moves to the other process with the same key', async () => {
      const person = await signedIn()
      await call(sftp.start, {}, person)
      const status = () => call(sftp.status, {}, person)
      await expect.poll(async () => (await status()).running).toBe(true)
      const { port, fingerprint } = await status()
      const holder = sftpPorts.indexOf(port)
      const other = sftpPorts[1 - holder]!
      const { username, password: sftpPassword } = await call(sftp.credentials, {}, person)
      const keys = new Set<string>()
      const hostVerifier = (key: Buffer) => keys.add(key.toString('base64')).size > 0
      const connected = (at: number) =>
        connectClient({ port: at, username, password: sftpPassword, hostVerifier })
      ;(await connected(port)).connection.end()
      await expect(connected(other)).rejects.toThrow(/ECONNREFUSED/)
      await servers[holder]!.kill()
      onTestFinished(() => start(holder))
      await expect
        .poll(async () => (await connected(other)).connection.end(), { timeout: 60_000, interval: 500 })
        .toBeDefined()
      expect(await status()).toMatchObject({ running: true, port: other, fingerprint })
      expect(keys.size).toBe(1)
    })

    test('counts wrong passwords of one address across processes', async () => {
      const wrong = (server: ServerProcess, at: number) =>
        refusal(
          call(
            auth.login,
            { body: { email: `x${at}@example.org`, password: 'wrong' } },
            testClient(server.url),
          ),
        )
      const codes: unknown[] = []
      for (let at = 0; at < 20; at += 1) codes.push((await wrong(servers[at % 2]!, at)).code)
      expect(codes).not.toContain('rate_limited')
      for (const server of servers) expect((await wrong(server, 99)).code).toBe('rate_limited')
    })

    async function signedIn(through = url): Promise<TestClient> {
      const client = testClient(through)
      await call(auth.login, { body: { email, password } }, client)
      return client
    }
  },
)

const recording = (seed: number) => Buffer.concat([...longWav(600_000, seed)])

function sameAs(person: TestClient, base: string): TestClient {
  const same = testClient(base)
  for (const [name, value] of person.cookies) same.cookies.set(name, value)
  return same
}

/** Counts the events that a server sends to a listening device. */
async function listen(server: ServerProcess): Promise<() => number> {
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const { body } = await fetch(`${server.url}/api/sync/events`, { signal: over.signal })
  let heard = 0
  const reading = (async () => {
    for await (const chunk of body!.pipeThrough(new TextDecoderStream()))
      heard += chunk.split('event: changed').length - 1
  })()
  reading.catch(() => undefined)
  return () => heard
}
