import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { signalAll, type ListedProcess } from '@fellowship/api/testing/process-tree'

/** Whom a signal comes to, of all that npm has started. */
export type Whom = (all: readonly ListedProcess[]) => readonly ListedProcess[]

/** Sends SIGTERM, half a second apart if it is sent more than once. */
export async function terminate(processes: readonly ListedProcess[], times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    if (time > 0) await delay(500)
    signalAll(processes, 'SIGTERM')
  }
}

/** No partial file is left in the staging folders. */
export async function expectNothingHalf(dataDir: string): Promise<void> {
  for (const folder of ['staging', 'sftp-staging', 'inbox', 'uploads'])
    await expect.poll(() => readdir(path.join(dataDir, folder)), { message: folder }).toEqual([])
}
