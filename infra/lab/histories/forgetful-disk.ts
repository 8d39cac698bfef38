/**
 * Loaded into the server before its own code (`--import`): the data folder forgets writes that were not synced. At SIGUSR2 the
 * power is cut after POWER_CUT_STEPS further changes of the disk, at the latest when those stop: the files are left as a
 * disk may hold them then, and the process is killed.
 */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { powerCutDisk, type Crash } from '@fellowship/api/testing/power-cut'

/** Folders of acknowledged data. The database has processes, and synchronous writes, of its own. */
const folders = ['audio', 'images', 'inbox', 'sftp-staging', 'staging', 'uploads']
/** If the disk does not change for so long, no change may come. */
const quietMs = 100

const { DATA_DIR: dataDir, POWER_CUT: kind, POWER_CUT_STEPS: steps } = process.env
if (isMainThread && dataDir !== undefined && kind !== undefined) {
  const disk = powerCutDisk()
  disk.watch(folders.map((folder) => path.join(dataDir, folder)))
  Object.assign(fs, disk.wrap({ ...fs }))
  syncBuiltinESMExports()
  const cut = (): never => {
    disk.crash(kind as Crash)
    process.kill(process.pid, 'SIGKILL')
    // The signal may take a moment to arrive; nothing may happen in it.
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
  }
  process.on('SIGUSR2', () => {
    disk.endAfter(Number(steps), cut)
    setTimeout(cut, quietMs)
  })
}
