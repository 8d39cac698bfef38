import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openSwift } from '@fellowship/api/testing/swift-process'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup, type BackupLine } from '@fellowship/schema/backup/backup.contract'
import { call, type Transport } from '@fellowship/sync/call/call'
import { cookieTransport } from '../../../dev/cookie-transport.ts'
import { administrator, startProduct } from '../../../e2e/support/product.ts'
import type { Area, Run } from '../area.ts'
import { peakMegabytes, resetPeak } from '../peak-memory.ts'
import { longRecording, publish } from '../recording.ts'
import { pin } from '../tools.ts'

/** `BUCKET_RECORDINGS=6 npm run bench -- bucket-backup` shows that the peak is not of the size. */
const recordings = Number(process.env['BUCKET_RECORDINGS'] ?? 25)
const recordingBytes = 40_000_000
/** A gigabyte takes a while on a busy machine. */
const patienceMs = 300_000
const root = path.resolve(import.meta.dirname, '../../../..')

/** The weekly backup, from recordings in one bucket into another one, and its restore onto a disk: peak memory of both. */
export const bucketBackup: Area = {
  name: 'bucket-backup',
  needs: [],
  async run({ report, onEnd }) {
    const swift = await openSwift()
    onEnd(() => swift.stop())
    const [dataDir, target] = [await emptyFolder(onEnd), await emptyFolder(onEnd)]
    const secret = { BACKUP_PASSPHRASE: 'four words nobody says together' }
    const start = async (env: Record<string, string>) => {
      const product = await startProduct({ LOG_LEVEL: 'error', ...env }, { dataDir })
      onEnd(() => product.stop())
      pin('server', product.process.pid!)
      const browser = cookieTransport(product.url)
      await call(auth.login, { body: administrator }, browser)
      return { ...product, browser }
    }
    const first = await start(swift.forRecordings)
    for (let number = 1; number <= recordings; number += 1)
      await publish(first, await longRecording(recordingBytes, number), `Bench ${number}`)
    await first.stop()
    // A minute later its chores begin.
    const { browser, process: server } = await start({
      ...swift.forRecordings,
      ...swift.forBackups,
      ...secret,
    })
    const before = await resetPeak(server.pid!)
    const { bytes, startedAt, finishedAt, fileName } = await weekly(browser)
    const peak = await peakMegabytes(server.pid!)
    const seconds = (Date.parse(finishedAt!) - Date.parse(startedAt)) / 1000
    const gigabytes = (bytes / 1e9).toFixed(2)
    const alone = { yardstick: '–', ratio: '–' }
    report({
      ...alone,
      work: `backup of ${gigabytes} GB from one bucket into another, encrypted: growth of the server’s peak memory`,
      product: `${(peak - before).toFixed(0)} MB, to ${peak.toFixed(0)} MB (${(bytes / 1e6 / seconds).toFixed(0)} MB/s)`,
      target: '≤ 160 MB',
      met: peak - before <= 160,
    })
    const restored = await restore(fileName, { ...swift.forBackups, ...secret, DATA_DIR: target })
    report({
      ...alone,
      work: `the same, restored out of the bucket (backup:restore s3:…): peak memory of the command`,
      product: `${restored.peak.toFixed(0)} MB (${restored.seconds.toFixed(0)} s)`,
      target: '≤ 250 MB',
      met: restored.peak <= 250,
    })
  },
}

async function emptyFolder(onEnd: Run['onEnd']): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-bucket-'))
  await chmod(folder, 0o755)
  onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Waits until the weekly backup is complete. */
async function weekly(browser: Transport): Promise<BackupLine> {
  const until = performance.now() + patienceMs
  while (performance.now() < until) {
    const { backups } = await call(backup.history, {}, browser)
    const line = backups.find(({ kind }) => kind === 'weekly')
    if (line?.result === 'complete') return line
    if (line?.result === 'failed') throw new Error(line.sentence ?? 'The backup failed.')
    await delay(500)
  }
  throw new Error('There was no weekly backup.')
}

/** Its peak memory in megabytes, looked at until it ends. */
async function restore(
  name: string,
  env: Record<string, string>,
): Promise<{ peak: number; seconds: number }> {
  const began = performance.now()
  const program = path.join(root, 'api/dist/backup-restore.mjs')
  const command = spawn(process.execPath, [program, `s3:${name}`], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(command, 'exit').then(([code]) => code as number | null)
  let peak = 0
  let isOver = false
  void ended.then(() => (isOver = true))
  while (!isOver) {
    peak = await peakMegabytes(command.pid!).catch(() => peak)
    await delay(50)
  }
  const code = await ended
  if (code !== 0) throw new Error(`The restore ended with ${code}.`)
  return { peak, seconds: (performance.now() - began) / 1000 }
}
