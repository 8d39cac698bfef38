import { rm } from 'node:fs/promises'
import path from 'node:path'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import type { Area } from '../area.ts'
import { exchange } from '../exchange.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { startNginx } from '../nginx.ts'
import { peakMegabytes, resetPeak } from '../peak-memory.ts'
import { longRecording, mebibyte } from '../recording.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { unpin } from '../tools.ts'

/** Just below the upload limit. */
const recordingBytes = 100 * mebibyte - 64 * 1024
const pieceBytes = mebibyte

/** A multipart form upload, against the same bytes PUT to a file. */
export const multipartUpload: Area = {
  name: 'multipart-upload',
  needs: ['nginx'],
  async run({ report, onEnd }) {
    const library = await startLibrary()
    onEnd(() => library.stop())
    // Hashing runs on its own thread, which needs a second core.
    unpin(library.pid)
    const nginx = await startNginx()
    onEnd(() => nginx.stop())
    const token = (await call(auth.csrfToken, {}, library.browser)).csrfToken
    let number = 0
    const growths: number[] = []
    const megabytes = recordingBytes / 1e6
    const measured = await sideBySide(
      async () => {
        const form = formOf(await longRecording(recordingBytes, (number += 1)), number)
        const before = await resetPeak(library.pid)
        const { status, ms, body } = await exchange(library.url + uploads.smartUpload.path, {
          method: 'POST',
          headers: headersOf(library, token, form),
          body: form,
        })
        if (status !== 200) throw new Error(`The upload answered ${status}: ${body.toString()}`)
        growths.push((await peakMegabytes(library.pid)) - before)
        return (megabytes / ms) * 1000
      },
      async (round) => {
        const recording = await longRecording(recordingBytes, round)
        const { status, ms } = await exchange(`${nginx.url}/put/${round}.mp3`, {
          method: 'PUT',
          headers: { 'content-length': String(recording.length) },
          body: piecesOf(recording),
        })
        if (status !== 201) throw new Error(`nginx answered ${status}.`)
        await rm(path.join(nginx.root, 'put', `${round}.mp3`))
        return (megabytes / ms) * 1000
      },
    )
    // The first upload also allocates the buffers that later ones reuse.
    const growth = Math.max(...growths)
    report({
      work: '100 MB multipart to the library (probed, hashed, on disk)',
      product: `${measured.product.toFixed(0)} MB/s`,
      yardstick: `nginx DAV PUT ${measured.yardstick.toFixed(0)} MB/s`,
      ratio: ratioText(measured.ratios),
      target: '≥ 0.45 ×',
      met: median(measured.ratios) >= 0.45,
    })
    report({
      work: 'the same: growth of the server’s peak memory',
      product: `${growth.toFixed(0)} MB at most, ${median(growths).toFixed(0)} MB mostly`,
      yardstick: '–',
      ratio: '–',
      target: '≤ 50 MB',
      met: growth <= 50,
    })
  },
}

const boundary = '----bench7f3a'

function formOf(recording: Buffer, number: number): Buffer[] {
  const fields = {
    title: `Bench ${number}`,
    speaker: 'Sample Speaker',
    date: '2026-11-15',
    scriptureReference: '',
  }
  const head = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="audioFile"; filename="bench.mp3"\r\nContent-Type: audio/mpeg\r\n\r\n`
  return [Buffer.from(head.join('') + part), ...piecesOf(recording), Buffer.from(`\r\n--${boundary}--\r\n`)]
}

function headersOf(
  { browser }: BenchLibrary,
  token: string,
  form: readonly Buffer[],
): Record<string, string> {
  return {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(form.reduce((sum, { length }) => sum + length, 0)),
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'x-csrf-token': token,
  }
}

const piecesOf = (recording: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(recording.length / pieceBytes) }, (_, at) =>
    recording.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  )
