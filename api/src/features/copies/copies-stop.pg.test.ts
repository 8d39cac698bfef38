import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { openDatabase } from '../../db/database.ts'
import { canMakeSpeech, recordSpeech } from '../../testing/recordings.ts'
import { startServer, type ServerProcess } from '../../testing/server-process.ts'

let server: ServerProcess | undefined
const folder = await mkdtemp(path.join(tmpdir(), 'copies-stop-'))
afterAll(async () => {
  await server?.kill()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

// Each start waits 20 seconds before it begins a copy.
test.skipIf(!canMakeSpeech)(
  'a stop neither counts as a failed try nor leaves a file',
  { timeout: 300_000 },
  async () => {
    const dataDir = path.join(folder, 'data')
    const speech = path.join(folder, 'speech.mp3')
    await recordSpeech(speech, { seconds: 3_600, output: ['-b:a', '96k'] })
    server = await startServer(dataDir)
    const body = { title: 'Study', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
    const audioFile = new File([new Uint8Array(await readFile(speech))], 'a.mp3')
    await call(uploads.smartUpload, { body, files: { audioFile } }, await server.signIn())
    const staging = path.join(dataDir, 'staging')
    for (let stops = 0; stops < 4; stops++) {
      await expect.poll(() => readdir(staging), { timeout: 60_000, interval: 100 }).toHaveLength(1)
      // At another moment of the work each time.
      await delay(500 + 300 * stops)
      expect(await server.stop()).toBe(0)
      expect([await known(dataDir), await readdir(staging)]).toEqual([[{ state: 'working', tries: 0 }], []])
      server = await startServer(dataDir)
    }
  },
)

async function known(dataDir: string): Promise<{ state: string; tries: number }[]> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, { applicationName: 'test' })
  const rows = await database.sql<
    { state: string; tries: number }[]
  >`select state, tries from recording_copies`
  await database.close()
  return [...rows]
}
