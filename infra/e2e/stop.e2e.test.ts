import { rm } from 'node:fs/promises'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import {
  processTree,
  signalAll,
  stillRunning,
  type ListedProcess,
} from '@fellowship/api/testing/process-tree'
import { isMissing } from '@fellowship/api/testing/sftp-programs'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { call } from '@fellowship/sync/call/call'
import { makeBusy, servedRecordings } from './support/busy-product.ts'
import { administrator, signInByCall } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { expectNothingHalf, terminate } from './support/stopping.ts'

// Longer than the waits below together, so that the one that fails says so.
vi.setConfig({ testTimeout: 300_000 })

/** Started by npm, with a data folder that is removed after the test; whatever is left of it is killed. */
async function startByNpm(): Promise<{ product: Product; all: () => ListedProcess[] }> {
  const product = await startProduct({}, { startedOnce: inject('startedOnce'), byNpm: true, keep: true })
  let known: ListedProcess[] = []
  onTestFinished(async () => {
    signalAll([...known, ...processTree(product.process.pid!)], 'SIGKILL')
    await rm(product.dataDir, { recursive: true, force: true, maxRetries: 10 })
  })
  return { product, all: () => (known = processTree(product.process.pid!)) }
}

test.skipIf(isMissing('lftp'))('a double SIGTERM under load ends within 30 s', async () => {
  const { product, all } = await startByNpm()
  const busy = await makeBusy(product)
  const processes = all()
  expect(processes.map(({ command }) => command).join('\n')).toMatch(/npm[^]*main\.mjs[^]*postgres/)
  await terminate(processes, 2)
  expect(await busy.finishDownload()).toBe(busy.downloaded)
  await expect.poll(() => stillRunning(processes), { timeout: 30_000 }).toEqual([])
  expect(product.output()).not.toMatch(/"level":[56]0|"stack"|^\s+at .+:\d+|Error:/m)

  const again = await startProduct({}, { dataDir: product.dataDir })
  try {
    const wanted = await busy.resume(again)
    await expect.poll(() => servedRecordings(again)).toEqual(wanted)
    const { backups } = await call(backup.history, {}, await signInByCall(again.url, administrator))
    const asked = backups.filter(({ kind }) => kind === 'manual')
    expect(asked.map(({ result }) => result)).toEqual(['interrupted'])
    await expectNothingHalf(again.dataDir)
  } finally {
    await again.stop()
  }
})
