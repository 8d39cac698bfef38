import { open, rename, rm, stat, statfs } from 'node:fs/promises'
import { randomFillSync } from 'node:crypto'
import path from 'node:path'
import type { Log } from '../log.ts'

const mb = 1024 * 1024
/** Space that is kept for sessions, positions and the database's own log. */
const reserveBytes = 64 * mb
/** Below this the reserve is given up. */
const lowBytes = 32 * mb
/** From here on it is made again, with room to spare. */
const plentyBytes = 512 * mb
const checkMs = 2_000

/** Recordings and backups leave this much free, whether the reserve is standing or was given up. */
export const keptFreeBytes = reserveBytes + lowBytes

/**
 * Keeps a file of 64 MB in `dataDir` and removes it when the disk is full, so that the database can still write: people
 * sign in and listen until an administrator frees space. Returns the function that stops watching; the file stays.
 */
export function keepReserve(dataDir: string, log: Pick<Log, 'error' | 'warn'>): () => void {
  const file = path.join(dataDir, 'reserve')
  let isChecking = false
  const check = async () => {
    if (isChecking) return
    isChecking = true
    try {
      const { bavail, bsize } = await statfs(dataDir)
      const free = bavail * bsize
      const isThere = (await stat(file).catch(() => undefined)) !== undefined
      if (isThere && free < lowBytes) {
        await rm(file, { force: true })
        log.error(
          { free },
          'the disk is full: its reserve of 64 MB was given up; make room for new recordings',
        )
      } else if (!isThere && free > plentyBytes) await make(file)
    } catch (error) {
      log.warn({ err: error }, 'the reserve of the disk could not be kept')
    } finally {
      isChecking = false
    }
  }
  void check()
  const watch = setInterval(() => void check(), checkMs)
  return () => clearInterval(watch)
}

/** Random bytes: a file system that compresses would keep no room for zeros. */
async function make(file: string): Promise<void> {
  const part = `${file}.part`
  const block = randomFillSync(Buffer.allocUnsafe(4 * mb))
  const handle = await open(part, 'w', 0o600)
  try {
    for (let written = 0; written < reserveBytes; written += block.length) await handle.write(block)
    await handle.sync()
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await rename(part, file)
}
