import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, test, vi, type TestContext } from 'vitest'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture } from '../testing/multipart.ts'
import { processTree, signalAll, stillRunning } from '../testing/process-tree.ts'
import { startServer } from '../testing/server-process.ts'
import { copyStarted } from '../testing/started-folder.ts'
import { postmasterOf } from './embedded-owner.ts'

vi.setConfig({ testTimeout: 300_000 })

// Side by side, as they wait for most of their time.
describe.skipIf(process.platform !== 'linux')('a server whose database hangs', { concurrent: true }, () => {
  test('ends by SIGTERM within half a minute without losing rows', async (given) => {
    const { expect } = given
    const { dataDir, server, all } = await hanging(given)
    expect(await server.stop()).toBe(0)
    await expect.poll(() => stillRunning(all), { timeout: 5_000 }).toEqual([])
    expect(await titlesAfterStart(given, dataDir)).toEqual(['Hope'])
  })

  test('a start after a kill ends the old database', async (given) => {
    const { expect } = given
    const { dataDir, server, all } = await hanging(given)
    await server.kill()
    expect(stillRunning(all)).not.toEqual([])
    expect(await titlesAfterStart(given, dataDir)).toEqual(['Hope'])
    expect(stillRunning(all)).toEqual([])
  })
})

type Given = Pick<TestContext, 'onTestFinished'>

/** With a teaching, and all processes of its PostgreSQL frozen. */
async function hanging({ onTestFinished }: Given) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'hang-'))
  await copyStarted(dataDir)
  const server = await startServer(dataDir, { LOG_LEVEL: 'silent' })
  const all = processTree(server.pid)
  onTestFinished(async () => {
    signalAll(all, 'SIGKILL')
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
  })
  const files = { audioFile: new File([new Uint8Array(await fixture('cbr.mp3'))], 'a.mp3') }
  const body = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22' }
  await call(uploads.smartUpload, { body, files }, await server.signIn())
  signalAll(processTree(postmasterOf(path.join(dataDir, 'postgres/data'))!), 'SIGSTOP')
  return { dataDir, server, all }
}

async function titlesAfterStart({ onTestFinished }: Given, dataDir: string): Promise<string[]> {
  const server = await startServer(dataDir, { LOG_LEVEL: 'silent' })
  onTestFinished(async () => void (await server.stop()))
  return (await call(teachings.list, {}, { fetch, base: server.url })).map(({ title }) => title)
}
