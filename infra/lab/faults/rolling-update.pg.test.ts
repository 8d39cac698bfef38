import 'fake-indexeddb/auto'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { keyOf } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { pull } from '@fellowship/sync/client/replica/pull'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { databaseAddress } from '@fellowship/api/testing/database-address'
import { longWav } from '@fellowship/api/testing/long-wav'
import { elsewhere, mixedLoad, tallyLines } from '@fellowship/api/testing/once-and-whole'
import { beforeLoad, expectOnceAndWhole } from './once-and-whole.ts'
import { editPatiently, uploadPatiently } from '@fellowship/api/testing/persistent-client'
import { releaseBefore, releaseHere } from './release-before.ts'
import { severalServers } from '@fellowship/api/testing/several-servers'
import { exampleNginx, isNginxMissing, stockNginx } from '@fellowship/api/testing/stock-nginx'
import { isSwiftMissing } from '@fellowship/api/testing/swift'
import { testClient, type TestClient } from '@fellowship/api/testing/test-client'
import { testDatabase } from '@fellowship/api/testing/test-db'
import { tusClient } from '@fellowship/api/testing/tus'

const credentials = { email: 'admin@example.org', password: 'a-long-sentence-only-you-know' }
/** `ROLLING_FROM=v1.0.0 npx vitest run rolling-update`: a tag, a commit, or 'auto' (see `releaseBefore`). The soak sets it. */
const from = process.env['ROLLING_FROM'] ?? 'auto'
const isMissing = isSwiftMissing() || isNginxMissing()
/** The load runs this long before, between and after the two replacements. */
const phaseMs = 8_000

describe.skipIf(isMissing)('an update of two processes, one after the other, under mixed load,', async () => {
  if (isMissing) return
  const old = await releaseBefore(from)
  const here = releaseHere()
  const { servers, sql, start } = await severalServers(2, {}, { program: old.program })
  const urls = servers.map((server) => server.url)
  const elsewhereDatabase = await databaseAddress((await testDatabase()).place)
  const folder = await mkdtemp(path.join(tmpdir(), 'rolling-'))
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  /** Uploads beside the load, in the shape of the load’s own. */
  const published = new Map<string, { bytes: Buffer; audioUrl: string; title: string }>()
  let seed = 900_000

  test(`updating ${old.commit} to ${here.commit} loses nothing`, { timeout: 300_000 }, async () => {
    const [sticky, inTurns] = [await exampleNginx(urls), await stockNginx(urls)]
    const signIn = (client: TestClient) => call(auth.login, { body: credentials }, client)
    const people = [inTurns, sticky, sticky].map((base) => testClient(base))
    for (const person of people) await signIn(person)
    const before = await beforeLoad(sql, sticky)
    const [epoch, migrated] = [await epochNow(), await migrations()]
    const load = mixedLoad({ sticky, inTurns, people, signIn, seed: 7 })
    onTestFinished(() => load.close())
    try {
      await delay(phaseMs)
      const half = await halfUpload(people[1]!)
      expect(await servers[0]!.stop()).toBe(0)
      await start(0, here.program)
      console.log(`migrations: ${migrated}, then ${await migrations()} beside the release before`)
      await half.goOn()
      await Promise.all([delay(phaseMs), acrossBoth(people[2]!)])
      expect(await servers[1]!.stop()).toBe(0)
      await start(1, here.program)
      await delay(phaseMs)
    } finally {
      await load.end()
    }
    const all = new Map([...load.published, ...published])
    console.log(
      `${old.commit} to ${here.commit}: ${all.size} uploads and edits, ${load.ended.length} sign-ins\n${tallyLines(load.tallies)}`,
    )
    await expectOnceAndWhole({ ...load, published: all }, { before, sql, base: sticky, urls, people })
    // Devices continue at their cursor, and fetch no snapshot.
    expect(await epochNow()).toBe(epoch)
  })

  const migrations = async () => (await sql`select 1 from schema_migrations`).length
  const epochNow = async () => (await sql<{ epoch: string }[]>`select epoch from sync_clock`)[0]!.epoch
  const recording = () => Buffer.concat([...longWav(600_000, (seed += 1))])

  /** When the old process stops it has some bytes of this upload; the new one takes over its folder. */
  async function halfUpload(person: TestClient) {
    const client = elsewhere(person, urls[0]!)
    const { csrfToken } = await call(auth.csrfToken, {}, client)
    const tus = tusClient(client, csrfToken)
    const [id, bytes] = [uuidv7(Date.now()), recording()]
    await begin(tus, id, bytes.length)
    expect((await tus.patch(id, 0, bytes.subarray(0, 250_000))).status).toBe(204)
    return {
      async goOn() {
        expect(await tus.head(id)).toMatchObject({ status: 200, offset: 250_000 })
        expect((await tus.patch(id, 250_000, bytes.subarray(250_000))).status).toBe(204)
        const body = { title: 'Begun before', speaker: 'John Smith', date: '2026-11-22' }
        const { teaching } = await call(uploads.finalize, { params: { id }, body }, client)
        await edit(client, teaching, bytes, 'Ended after')
      },
    }
  }

  /** The load may have as many uploads under way as a person can have. */
  const begin = (tus: ReturnType<typeof tusClient>, jobId: string, bytes: number) =>
    expect
      .poll(async () => (await tus.create(bytes, { jobId, filename: 'a.wav' })).status, { timeout: 30_000 })
      .toBe(201)

  async function edit(client: TestClient, teaching: Teaching, bytes: Buffer, title: string) {
    await editPatiently(client, teaching, title)
    published.set(teaching.uid, { bytes, audioUrl: teaching.audioUrl!, title })
  }

  /** Work that one process began continues at the other one, both ways. */
  async function acrossBoth(person: TestClient): Promise<void> {
    const device = new AppDatabase(`rolling ${Math.random()}`)
    for (const [one, other] of [urls, urls.toReversed()] as [string, string][]) {
      const session = testClient(one)
      await call(auth.login, { body: credentials }, session)
      const there = elsewhere(session, other)
      const { csrfToken } = await call(auth.csrfToken, {}, session)
      const id = uuidv7(Date.now())
      const tus = tusClient(there, csrfToken)
      await begin(tus, id, 1000)
      expect((await tus.remove(id)).status).toBe(204)

      const bytes = recording()
      const teaching = await uploadPatiently(elsewhere(person, one), bytes, `Sent to ${one}`)
      await pull(device, { base: one, fetch }, { now: () => Date.now(), verify: true })
      await edit(elsewhere(person, other), teaching, bytes, `Edited by way of ${other}`)
      for (const base of [other, one]) {
        // A device that asks the one and then the other has the same state, without a snapshot.
        await pull(device, { base, fetch }, { now: () => Date.now(), verify: true, onSnapshot: noSnapshot })
        expect((await device.teachings.get(teaching.uid))?.title).toBe(`Edited by way of ${other}`)
        expect(await (await fetch(`${base}/teaching/x-${keyOf(teaching)}`)).text()).toContain(
          'Edited by way of',
        )
        const part = await fetch(base + teaching.audioUrl!, { headers: { range: 'bytes=1000-1999' } })
        expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true)
      }
      await backUp(session)
      await call(auth.logout, {}, there)
      expect((await call(auth.currentUser, {}, elsewhere(there, one))).user).toBe(null)
    }
    device.close()
  }

  /** The new release accepts the backups of both. */
  async function backUp(client: TestClient): Promise<void> {
    const { id, bytes, fileName } = await call(backup.prepare, {}, client)
    const answer = await client.fetch(`${client.base}${backup.createManual.path}?id=${id}`)
    const content = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, content.length]).toEqual([200, bytes])
    const file = path.join(folder, `${published.size}-${fileName}`)
    await writeFile(file, content)
    const env = { ...process.env, DATABASE_URL: elsewhereDatabase.url, DATA_DIR: path.join(folder, 'data') }
    const program = path.join(path.dirname(here.program[0]!), 'backup-restore.mjs')
    const said = await promisify(execFile)(process.execPath, [program, file, '--dry-run'], { env }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    )
    // Commits before the first release wrote the church's own number into their backups, which is newer than any of these.
    expect(said).toMatch(/ is whole\.[^]*Nothing was written\.$|a newer version of the product \(7\./m)
  }
})

function noSnapshot(): void {
  throw new Error('The device took a snapshot.')
}
