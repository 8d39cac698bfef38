import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Area, BenchRow, Run } from '../area.ts'
import { startLibrary } from '../library.ts'
import { startNginx } from '../nginx.ts'
import { longRecording, mebibyte, publish } from '../recording.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { load } from '../wrk.ts'

const recordingBytes = 40 * mebibyte

/** Whole recordings, as downloads and as players without range requests fetch them. */
export const audioFull: Area = {
  name: 'audio-full',
  needs: ['nginx', 'wrk'],
  run: (run) =>
    withRecording(run, async (product, yardstick) => {
      const rate = async (url: string) => (await load({ url, connections: 8 })).megabytesPerSecond
      const measured = await sideBySide(
        () => rate(product),
        () => rate(yardstick),
      )
      return {
        work: '40 MB recording, whole, 8 at once',
        product: `${measured.product.toFixed(0)} MB/s`,
        yardstick: `nginx ${measured.yardstick.toFixed(0)} MB/s`,
        ratio: ratioText(measured.ratios),
        target: '≥ 1.0 ×',
        met: median(measured.ratios) >= 1,
      }
    }),
}

/** Range requests, as a seeking player sends them. */
export const audioRange: Area = {
  name: 'audio-range',
  needs: ['nginx', 'wrk'],
  run: (run) =>
    withRecording(run, async (product, yardstick, bytes) => {
      const ranges = { bytes: 64 * 1024, of: bytes }
      const rate = async (url: string) => (await load({ url, connections: 50, ranges })).perSecond
      const measured = await sideBySide(
        () => rate(product),
        () => rate(yardstick),
      )
      return {
        work: '64 KiB ranges, 50 at once',
        product: `${measured.product.toFixed(0)} req/s`,
        yardstick: `nginx ${measured.yardstick.toFixed(0)} req/s`,
        ratio: ratioText(measured.ratios),
        target: '≥ 0.6 ×',
        met: median(measured.ratios) >= 0.6,
      }
    }),
}

async function withRecording(
  { report, onEnd }: Run,
  measure: (product: string, yardstick: string, bytes: number) => Promise<BenchRow>,
): Promise<void> {
  const recording = await longRecording(recordingBytes, 0)
  const library = await startLibrary()
  onEnd(() => library.stop())
  const nginx = await startNginx()
  onEnd(() => nginx.stop())
  const address = await publish(library, recording, 'Bench')
  await writeFile(path.join(nginx.root, 'recording.mp3'), recording)
  report(await measure(library.url + address, `${nginx.url}/recording.mp3`, recording.length))
}
