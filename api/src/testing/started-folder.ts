import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rename } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { tryKernelLock } from '../machine/kernel-lock.ts'
import { startServer } from './server-process.ts'

/**
 * Fills a folder with a copy of the data of a server that was started and stopped: a start on it takes two thirds of the
 * CPU of one on an empty folder, which makes a database first. The server recognizes it as a copy, and begins a new
 * sync epoch.
 *
 * @param dataDir made if it is missing
 */
export async function copyStarted(dataDir: string): Promise<void> {
  // -a keeps owner and mode: the database may belong to another user.
  await promisify(execFile)('cp', ['-a', `${await (original ??= startedOnce())}/.`, dataDir])
}

/** A worker asks once for all its files. */
let original: Promise<string> | undefined

/** The first worker of a run that needs the folder makes it, aside; the others wait meanwhile. */
async function startedOnce(): Promise<string> {
  const folder = inject('startedOnceIn')
  const made = path.join(folder, 'data')
  while (!existsSync(made)) {
    const lock = tryKernelLock(path.join(folder, 'lock'))
    if (!lock) {
      await delay(200)
      continue
    }
    try {
      if (!existsSync(made)) await rename(await startOnce(folder), made)
    } finally {
      lock.release()
    }
  }
  return made
}

async function startOnce(folder: string): Promise<string> {
  const dataDir = await mkdtemp(path.join(folder, 'aside-'))
  await chmod(dataDir, 0o755)
  const server = await startServer(dataDir)
  const code = await server.stop()
  if (code !== 0) throw new Error(`The server that was started once ended with ${code}: ${server.printed()}`)
  return dataDir
}
