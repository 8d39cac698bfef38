import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { openDatabase } from '../../db/database.ts'
import { canMakeSpeech, recordSpeech } from '../../testing/recordings.ts'
import { startServer, type ServerProcess } from '../../testing/server-process.ts'

// `COPY_RECORDINGS=12 npx vitest run --project pg copies-kills` runs it; the soak sets 1,000.
const count = Number(process.env['COPY_RECORDINGS'] ?? 0)
const kills = [0.25, 0.5, 0.75]

let server: ServerProcess | undefined
const folder = await mkdtemp(path.join(tmpdir(), 'copies-kills-'))
afterAll(async () => {
  await server?.kill()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

test.skipIf(!canMakeSpeech)(
  'copies each recording once, despite three kills',
  { timeout: 1_800_000 + count * 10_000 },
  async () => {
    const dataDir = path.join(folder, 'data')
    server = await startServer(dataDir)
    const speech = path.join(folder, 'speech.mp3')
    // Without a frame that declares the length: the shorter ones count as whole.
    const output = ['-b:a', '96k', '-write_xing', '0', '-id3v2_version', '0']
    await recordSpeech(speech, { seconds: 30 + Math.ceil(count * 0.024), output })
    await publish(await readFile(speech))

    // By recording and try: an interrupted recording may wait behind new ones and appear again at the next kill.
    const brokenOff = new Map<string, KnownRecording>()
    for (const share of kills) {
      await caughtUp(Math.ceil(count * share))
      await server.kill()
      const begun = (await known(dataDir)).filter(({ state }) => state === 'working')
      for (const row of begun) brokenOff.set(`${row.sha256} ${row.tries}`, row)
      server = await startServer(dataDir)
    }
    await caughtUp(count)
    const client = await server.signIn()
    const status = await call(copies.status, {}, client)
    expect([status.total, status.done, status.copies, status.failed]).toEqual([count, count, count, []])
    const urls = (await call(teachings.list, {}, client)).map(({ copyUrl }) => copyUrl)
    expect(new Set(urls).size).toBe(count)
    expect(await server.stop()).toBe(0)
    server = undefined

    // One file for each recording and each copy, without remains of interrupted work.
    expect(await readdir(path.join(dataDir, 'audio'))).toHaveLength(2 * count)
    // A kill interrupts at most one recording, which is tried once more.
    expect(brokenOff.size).toBeLessThanOrEqual(kills.length)
    const tries = (await known(dataDir)).map((row) => [row.sha256, row.tries])
    const expected = tries.map(([sha256]) => [
      sha256,
      1 + [...brokenOff.values()].filter((row) => row.sha256 === sha256).length,
    ])
    expect(tries).toEqual(expected)
    expect(tries).toHaveLength(count)
  },
)

interface KnownRecording {
  sha256: string
  state: string
  tries: number
}

/** The records of the worker, read when no server runs. */
async function known(dataDir: string): Promise<KnownRecording[]> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, { applicationName: 'test' })
  const rows = await database.sql<KnownRecording[]>`select sha256, state, tries from recording_copies`
  await database.close()
  return [...rows]
}

/** Recordings that differ in the tag at their end alone; no two of their copies are alike, as each is as loud as another gain. */
async function publish(speech: Buffer): Promise<void> {
  const client = await server!.signIn()
  for (let number = 0; number < count; number++) {
    const tag = Buffer.alloc(128)
    tag.write(`TAG${number}`)
    // Another length, so that another copy follows.
    const frames = speech.subarray(0, speech.length - number * 288)
    const body = {
      title: `Study ${number}`,
      speaker: 'John Smith',
      date: '2026-11-22',
      scriptureReference: '',
    }
    const audioFile = new File([new Uint8Array(Buffer.concat([frames, tag]))], 'a.mp3')
    await call(uploads.smartUpload, { body, files: { audioFile } }, client)
  }
}

async function caughtUp(done: number): Promise<void> {
  const client = await server!.signIn()
  await expect
    .poll(async () => (await call(copies.status, {}, client)).done, {
      interval: 500,
      timeout: 900_000 + count * 5_000,
    })
    .toBeGreaterThanOrEqual(done)
}
