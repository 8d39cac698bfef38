import { rm } from 'node:fs/promises'
import path from 'node:path'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Area } from '../area.ts'
import { exchange } from '../exchange.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { startNginx } from '../nginx.ts'
import { peakMegabytes, resetPeak } from '../peak-memory.ts'
import { longRecording, mebibyte } from '../recording.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'

/** Just below the upload limit. */
const recordingBytes = 100 * mebibyte - 64 * 1024
const pieceBytes = mebibyte
const megabytes = recordingBytes / 1e6

/** A resumable upload, against the same bytes PUT to a file. */
export const tusUpload: Area = {
  name: 'tus-upload',
  needs: ['nginx'],
  async run({ report, onEnd }) {
    const library = await startLibrary()
    onEnd(() => library.stop())
    const nginx = await startNginx()
    onEnd(() => nginx.stop())
    let number = 0
    const put = async (round: number) => {
      const recording = await longRecording(recordingBytes, round)
      const { status, ms } = await exchange(`${nginx.url}/put/${round}.mp3`, {
        method: 'PUT',
        headers: { 'content-length': String(recording.length) },
        body: piecesOf(recording),
      })
      if (status !== 201) throw new Error(`nginx answered ${status}.`)
      await rm(path.join(nginx.root, 'put', `${round}.mp3`))
      return (megabytes / ms) * 1000
    }
    const token = (await call(auth.csrfToken, {}, library.browser)).csrfToken
    for (const [work, requestBytes] of [
      ['in one request', recordingBytes],
      ['in requests of 5 MiB, as the queue sends them', 5 * mebibyte],
    ] as const) {
      const growths: number[] = []
      const arrivals: number[] = []
      const measured = await sideBySide(async () => {
        const recording = await longRecording(recordingBytes, (number += 1))
        const before = await resetPeak(library.pid)
        const { arrivedMs, ms } = await send(library, token, recording, requestBytes, number)
        growths.push((await peakMegabytes(library.pid)) - before)
        arrivals.push((megabytes / arrivedMs) * 1000)
        return (megabytes / ms) * 1000
      }, put)
      // The first upload also allocates the buffers that later ones reuse.
      const growth = Math.max(...growths)
      report({
        work: `100 MB tus ${work} (on disk, then probed, hashed, a teaching)`,
        product: `${measured.product.toFixed(0)} MB/s (${median(arrivals).toFixed(0)} MB/s until it is on disk)`,
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
    }
  },
}

async function send(
  { url, browser }: BenchLibrary,
  token: string,
  recording: Buffer,
  requestBytes: number,
  number: number,
): Promise<{ arrivedMs: number; ms: number }> {
  const id = uuidv7(Date.now())
  const common = {
    'tus-resumable': '1.0.0',
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'x-csrf-token': token,
  }
  const started = performance.now()
  const request = async (
    method: string,
    at: string,
    headers: Record<string, string>,
    body: Buffer[] = [],
  ) => {
    const { status, body: answer } = await exchange(url + at, {
      method,
      headers: { ...common, ...headers },
      body,
    })
    if (status >= 300) throw new Error(`${method} ${at} answered ${status}: ${answer.toString()}`)
  }
  await request('POST', '/api/uploads', {
    'upload-length': String(recording.length),
    'upload-metadata': `jobId ${Buffer.from(id).toString('base64')}`,
    'content-length': '0',
  })
  for (let offset = 0; offset < recording.length; offset += requestBytes) {
    const part = recording.subarray(offset, offset + requestBytes)
    await request(
      'PATCH',
      `/api/uploads/${id}`,
      {
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
        'content-length': String(part.length),
      },
      piecesOf(part),
    )
  }
  const arrivedMs = performance.now() - started
  const words = { title: `Bench ${number}`, speaker: 'Sample Speaker', date: '2026-11-15' }
  const body = Buffer.from(JSON.stringify(words))
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  await request('POST', `/api/uploads/${id}/finalize`, headers, [body])
  return { arrivedMs, ms: performance.now() - started }
}

const piecesOf = (recording: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(recording.length / pieceBytes) }, (_, at) =>
    recording.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  )
