import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { call } from '@fellowship/sync/call/call'
import type { Area } from '../area.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { peakMegabytes, resetPeak } from '../peak-memory.ts'
import { longRecording, publish } from '../recording.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { pinned } from '../tools.ts'

const recordings = 25
const recordingBytes = 40_000_000

/** Download of a backup, against the same files packed by `zip -0`; neither is written to disk. */
export const backupDownload: Area = {
  name: 'backup',
  needs: ['zip'],
  async run({ report, onEnd }) {
    const library = await startLibrary()
    onEnd(() => library.stop())
    for (let number = 1; number <= recordings; number += 1) {
      await publish(library, await longRecording(recordingBytes, number), `Bench ${number}`)
    }
    const growths: number[] = []
    const measured = await sideBySide(
      async () => {
        const before = await resetPeak(library.pid)
        const speed = await download(library)
        growths.push((await peakMegabytes(library.pid)) - before)
        return speed
      },
      () => zip(library.dataDir),
      3,
    )
    const growth = Math.max(...growths)
    report({
      work: 'backup of 1 GB, asked for and sent with its exact length',
      product: `${measured.product.toFixed(0)} MB/s`,
      yardstick: `zip -0 ${measured.yardstick.toFixed(0)} MB/s`,
      ratio: ratioText(measured.ratios),
      target: '≥ 3 ×',
      met: median(measured.ratios) >= 3,
    })
    report({
      work: 'the same: growth of the server’s peak memory',
      product: `${growth.toFixed(0)} MB at most, ${median(growths).toFixed(0)} MB mostly`,
      yardstick: '–',
      ratio: '–',
      target: '≤ 75 MB',
      met: growth <= 75,
    })
  },
}

/** Megabytes per second, from the request for a backup to its last byte. */
async function download({ url, browser }: BenchLibrary): Promise<number> {
  const started = performance.now()
  const { id } = await call(backup.prepare, {}, browser)
  const { headers, body } = await browser.fetch(`${url}${backup.createManual.path}?id=${id}`)
  let bytes = 0
  for await (const part of body!) bytes += part.length
  const announced = Number(headers.get('content-length'))
  if (bytes !== announced) throw new Error(`${announced} bytes were announced, ${bytes} came.`)
  return bytes / 1000 / (performance.now() - started)
}

async function zip(dataDir: string): Promise<number> {
  const started = performance.now()
  const [command, args] = pinned('server', 'zip', ['-0', '-q', '-r', '-', 'audio'])
  const program = spawn(command, args, { cwd: dataDir, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(program, 'exit').then(([code]) => code as number)
  let bytes = 0
  for await (const part of program.stdout) bytes += (part as Buffer).length
  const code = await ended
  if (code !== 0) throw new Error(`zip ended with ${code}.`)
  return bytes / 1000 / (performance.now() - started)
}
