import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { databaseAddress } from './testing/database-address.ts'
import { longWav } from './testing/multipart.ts'
import { exampleCaddy, isCaddyMissing } from './testing/example-proxies.ts'
import { refusal } from './testing/refusal.ts'
import { serverProgram, startServer, type ServerProcess } from './testing/server-process.ts'
import { exampleNginx, freePort, isNginxMissing } from './testing/stock-nginx.ts'
import { isSwiftMissing, startSwift } from './testing/swift.ts'
import { testClient, type TestClient } from './testing/test-client.ts'
import { testDatabase } from './testing/test-db.ts'
import { tusClient } from './testing/tus.ts'

const email = 'admin@example.org'
const password = 'a-long-sentence-only-you-know'
const isMissing = isSwiftMissing() || isNginxMissing()
/** `SEVERAL_KILLS=6 npx vitest run several-processes` is a minute of load; the soak sets it. */
const kills = Number(process.env['SEVERAL_KILLS'] ?? 1)

describe.skipIf(isMissing)(
  'two processes on one database and one bucket, behind nginx as the example has it',
  { timeout: 120_000 + kills * 30_000 },
  async () => {
    if (isMissing) return
    const swift = await startSwift()
    const { sql, place } = await testDatabase()
    const database = await databaseAddress(place)
    const folder = await mkdtemp(path.join(tmpdir(), 'several-'))
    const settings = {
      DATABASE_URL: database.url,
      APP_SECRET: 's'.repeat(64),
      S3_ENDPOINT: swift.endpoint,
      S3_BUCKET: swift.bucket,
      S3_ACCESS_KEY_ID: swift.accessKeyId,
      S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
      LOG_LEVEL: 'fatal',
    }
    const folderOf = (name: string) => path.join(folder, name)
    const ports = [await freePort(), await freePort()]
    const start = (at: number) =>
      startServer(folderOf(String(at)), { ...settings, PORT: String(ports[at]), TRUST_PROXY: '1' })
    const servers = [await start(0), await start(1)]
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.kill()))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    })
    const url = await exampleNginx(servers.map((server) => server.url))
    const listed = (base: string) => call(teachings.list, {}, { fetch, base })

    test('a third one with recordings on its own disk is refused with a sentence', async () => {
      const env = { ...process.env, DATABASE_URL: database.url, PORT: '0', DATA_DIR: folderOf('third') }
      const cwd = path.join(import.meta.dirname, '..')
      const stderr = await new Promise<string>((resolve) =>
        execFile(process.execPath, serverProgram, { cwd, env }, (_error, _out, text) => resolve(text)),
      )
      expect(stderr).toMatch(
        /could not start: Another process of the product .* this one keeps recordings on its own disk/,
      )
    })

    test('a person signs in, uploads and edits, both show it and play it, and signing out counts at both', async () => {
      const person = await signedIn()
      const wav = recording(1)
      const teaching = await upload(person, wav, 'By both')
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

    // An upload that reached the other process would begin anew there, and a backup not be found.
    test.skipIf(isCaddyMissing())(
      'through Caddy as the example has it, an upload stays with one of them, and so does a person',
      async () => {
        const caddy = await exampleCaddy(servers.map((server) => server.url))
        const tally = { requests: 0, failures: 0 }
        const rounds = 6
        for (let round = 0; round < rounds; round += 1) {
          const person = await signedIn(caddy)
          await upload(person, recording(50 + round), `By Caddy ${round}`, tally)
          const { id, bytes } = await call(backup.prepare, {}, person)
          const file = await person.fetch(`${caddy}${backup.createManual.path}?id=${id}`)
          expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, bytes])
        }
        // A token, three parts, publishing it, creating it, and five looks how far it is.
        expect(tally).toEqual({ requests: 11 * rounds, failures: 0 })
      },
    )

    test('a change at one is told to those who listen at the other, also after its connections were cut', async () => {
      const person = await signedIn()
      const events = await Promise.all(servers.map(listen))
      await upload(person, recording(2), 'Told')
      for (const heard of events) await expect.poll(heard, { timeout: 30_000 }).toBeGreaterThan(0)
      const before = events.map((heard) => heard())
      database.cut()
      // What changes while nobody hears of it is told with the new connection.
      await sql`update teachings set title = 'While cut' where title = 'Told'`
      for (const [at, heard] of events.entries())
        await expect.poll(heard, { timeout: 60_000 }).toBeGreaterThan(before[at]!)
      for (const server of servers) {
        const titles = async () => (await listed(server.url)).map((each) => each.title)
        await expect.poll(titles, { timeout: 30_000 }).toContain('While cut')
      }
    })

    test(`${kills} kills under load: what was acknowledged is there, whole and once`, async () => {
      const before = (await listed(url)).length
      const people = await Promise.all([signedIn(), signedIn(), signedIn()])
      const tally = { requests: 0, failures: 0 }
      const published = new Map<string, { bytes: Buffer; audioUrl: string; title: string }>()
      let isOver = false
      const work = async (who: number) => {
        for (let round = 0; !isOver; round += 1) {
          const bytes = recording(100 + who * 1000 + round)
          const teaching = await upload(people[who]!, bytes, `Load ${who} ${round}`, tally)
          const title = `Edited ${who} ${round}`
          await edit(people[who]!, teaching, title, tally)
          published.set(teaching.uid, { bytes, audioUrl: teaching.audioUrl!, title })
        }
      }
      const read = async () => {
        while (!isOver) {
          for (const address of ['/', '/api/sync', '/api/teachings', '/feed.xml', '/series'])
            await untilAnswered(() => fetch(url + address), tally)
        }
      }
      const working = Promise.all([...people.map((_, who) => work(who)), read()])
      try {
        for (let kill = 0; kill < kills; kill += 1) {
          await Promise.race([delay(5_000), working])
          await servers[kill % 2]!.kill()
          await Promise.race([delay(2_000), working])
          servers[kill % 2] = await start(kill % 2)
        }
      } finally {
        isOver = true
      }
      await working
      console.log(
        `${published.size} uploads and edits, ${tally.requests} requests, ${tally.failures} of them repeated`,
      )
      const rows = await listed(url)
      expect(rows).toHaveLength(before + published.size)
      for (const [uid, { bytes, audioUrl, title }] of published) {
        expect(rows.filter((row) => row.uid === uid).map((row) => row.title)).toEqual([title])
        expect(Buffer.from(await (await fetch(url + audioUrl)).arrayBuffer()).equals(bytes)).toBe(true)
      }
      expect(published.size).toBeGreaterThan(0)
    })

    test('wrong passwords from one address are counted together', async () => {
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

interface Tally {
  requests: number
  /** Requests without an answer, or with one that says to ask again. */
  failures: number
}

/** As a device does it: asks for the offset, sends some bytes, and again until it is whole; whatever fails is asked again. */
async function upload(
  person: TestClient,
  bytes: Buffer,
  title: string,
  tally: Tally = { requests: 0, failures: 0 },
): Promise<Teaching> {
  const id = uuidv7(Date.now())
  const { csrfToken } = await untilDone(() => call(auth.csrfToken, {}, person), tally)
  const tus = tusClient(person, csrfToken)
  const body = { title, speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
  for (;;) {
    const { status, offset } = await untilAnswered(() => tus.head(id), tally)
    if (status === 404)
      await untilAnswered(() => tus.create(bytes.length, { jobId: id, filename: 'a.wav' }), tally)
    else if (offset !== undefined && offset < bytes.length)
      await untilAnswered(() => tus.patch(id, offset, bytes.subarray(offset, offset + 250_000)), tally)
    else if (offset !== undefined) {
      try {
        return (await untilDone(() => call(uploads.finalize, { params: { id }, body }, person), tally))
          .teaching
      } catch (error) {
        // The process that had the bytes is gone.
        expect(error).toMatchObject({ code: 'upload_incomplete' })
      }
    }
  }
}

async function edit(person: TestClient, teaching: Teaching, title: string, tally: Tally): Promise<void> {
  const { id, uid, rev, speaker, date } = teaching
  const body = { title, speaker, date, scriptureReference: '', baseRev: rev, uid }
  const headers = { 'idempotency-key': uuidv7(Date.now()) }
  await untilDone(() => call(teachings.update, { params: { id }, body, headers }, person), tally)
}

/** Repeats a call that got no answer, or one that says to ask again. */
async function untilDone<T>(work: () => Promise<T>, tally: Tally): Promise<T> {
  for (;;) {
    tally.requests += 1
    try {
      return await work()
    } catch (error) {
      if (error instanceof CallError && error.status < 500 && error.code !== 'upload_busy') throw error
      tally.failures += 1
      await delay(100)
    }
  }
}

async function untilAnswered<T extends { status: number }>(work: () => Promise<T>, tally: Tally): Promise<T> {
  for (;;) {
    tally.requests += 1
    const answer = await work().catch(() => undefined)
    if (answer && answer.status < 500 && ![423, 429].includes(answer.status)) return answer
    tally.failures += 1
    await delay(100)
  }
}

/** Counts what a server tells to a device that listens. */
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
