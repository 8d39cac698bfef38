import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { operatorCommand } from '@fellowship/api/testing/server-process'
import { isMissing } from '@fellowship/api/testing/sftp-programs'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { call } from '@fellowship/sync/call/call'
import { peakMegabytes, resetPeak } from '../lab/bench/peak-memory.ts'
import { servedRecordings } from './support/busy-product.ts'
import { libraryCalls } from './support/library-calls.ts'
import { administrator, signInByCall } from './support/people.ts'
import { startProduct } from './support/product.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import { aWav, sha256 } from './support/work-under-way.ts'

// Runs in the soak: it writes three gigabytes.
vi.setConfig({ testTimeout: 900_000 })

const run = promisify(execFile)
const folder = temporaryFolder()
const recordings = 25
const recordingBytes = 40_000_000
/** Growth of the server's memory while it sends a gigabyte; it does not depend on the size of a backup. */
const mostMegabytes = 150

test.skipIf(isMissing('curl') || isMissing('unzip'))(
  'a gigabyte backup survives three breaks and restores',
  async () => {
    const product = await startProduct({}, { startedOnce: inject('startedOnce') })
    onTestFinished(() => product.stop())
    const session = await signInByCall(product.url, administrator)
    // They would be made meanwhile, and count as memory of the server.
    await call(copies.change, { body: { paused: true } }, session)
    const library = libraryCalls(() => product.url)
    const wanted: Record<string, string> = {}
    for (let number = 1; number <= recordings; number += 1) {
      const title = `Recording ${number}`
      const recording = aWav(title, recordingBytes, number)
      await library.add(recording, {})
      wanted[title] = sha256(recording.buffer)
    }

    const { id, bytes } = await call(backup.prepare, {}, session)
    expect(bytes).toBeGreaterThan(recordings * recordingBytes)
    const file = path.join(folder, 'backup.zip')
    const cookie = [...session.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const given = ['-sSf', '-C', '-', '-b', cookie, '-o', file]
    const address = `${product.url}${backup.createManual.path}?id=${id}`
    const before = await resetPeak(product.process.pid!)
    for (const share of [0.1, 0.5, 0.9]) {
      // Slow enough for each break to come before the end.
      await breakOff([...given, '--limit-rate', '150M', address], file, bytes * share)
      expect((await stat(file)).size).toBeLessThan(bytes)
    }
    await run('curl', [...given, address])
    const growth = (await peakMegabytes(product.process.pid!)) - before
    console.log(
      `A backup of ${(bytes / 1e6).toFixed(0)} MB: the server's memory grew from ${before.toFixed(0)} MB by ${growth.toFixed(0)} MB at most`,
    )
    expect(growth).toBeLessThan(mostMegabytes)
    expect((await stat(file)).size).toBe(bytes)
    await run('unzip', ['-tqq', file])
    const { backups } = await call(backup.history, {}, session)
    expect(backups.filter((each) => each.id === id)).toMatchObject([{ result: 'complete' }])

    const dataDir = path.join(folder, 'another-machine')
    await run(process.execPath, operatorCommand('backup-restore', [file]), {
      cwd: path.resolve(import.meta.dirname, '../..'),
      env: { ...process.env, DATA_DIR: dataDir },
    })
    const restored = await startProduct({}, { dataDir })
    onTestFinished(() => restored.stop())
    expect(await servedRecordings(restored)).toEqual(wanted)
  },
)

/** Runs curl until the file has more than so many bytes, and kills it. */
async function breakOff(args: readonly string[], file: string, bytes: number): Promise<void> {
  const curl = spawn('curl', args, { stdio: 'inherit' })
  const ended = once(curl, 'exit')
  const size = () =>
    stat(file).then(
      (found) => found.size,
      () => 0,
    )
  await expect.poll(size, { timeout: 120_000, interval: 20 }).toBeGreaterThan(bytes)
  curl.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
}
