import { rm } from 'node:fs/promises'
import path from 'node:path'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Area, Run } from '../area.ts'
import { exchange } from '../exchange.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { startNginx, type Nginx } from '../nginx.ts'
import { peakMegabytes, resetPeak } from '../peak-memory.ts'
import { longRecording, mebibyte, recordingBytes } from '../recording.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { unpin } from '../tools.ts'

const pieceBytes = mebibyte
const megabytes = recordingBytes / 1e6

/** A multipart form upload, against the same bytes PUT to a file. */
export const multipartUpload: Area = {
  name: 'multipart-upload',
  needs: ['nginx'],
  async run(run) {
    const servers = await startServers(run)
    // Hashing runs on its own thread, which needs a second core.
    unpin(servers.library.pid)
    await measure(run, servers, '100 MB multipart to the library (probed, hashed, on disk)', sendForm)
  },
}

/** A resumable upload, against the same bytes PUT to a file. */
export const tusUpload: Area = {
  name: 'tus-upload',
  needs: ['nginx'],
  async run(run) {
    const servers = await startServers(run)
    for (const [work, requestBytes] of [
      ['in one request', recordingBytes],
      ['in requests of 5 MiB, as the queue sends them', 5 * mebibyte],
    ] as const)
      await measure(run, servers, `100 MB tus ${work} (on disk, then probed, hashed, a teaching)`, (given) =>
        sendResumably(given, requestBytes),
      )
  },
}

interface Servers {
  library: BenchLibrary
  nginx: Nginx
  headers: Record<string, string>
  /** Recordings that were sent; each one differs from all others. */
  sent: number
}

async function startServers({ onEnd }: Run): Promise<Servers> {
  const library = await startLibrary()
  onEnd(() => library.stop())
  const nginx = await startNginx()
  onEnd(() => nginx.stop())
  const { csrfToken } = await call(auth.csrfToken, {}, library.browser)
  const cookie = [...library.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return { library, nginx, headers: { cookie, 'x-csrf-token': csrfToken }, sent: 0 }
}

interface Sending extends Pick<Servers, 'library' | 'headers'> {
  recording: Buffer
  number: number
}

/** Milliseconds of one upload. */
interface Sent {
  ms: number
  /** Until the last byte is on disk, if the teaching follows in a request of its own. */
  arrivedMs?: number
}

async function measure(
  { report }: Run,
  servers: Servers,
  work: string,
  send: (sending: Sending) => Promise<Sent>,
): Promise<void> {
  const { library, nginx, headers } = servers
  const growths: number[] = []
  const arrivals: number[] = []
  const measured = await sideBySide(
    async () => {
      const number = (servers.sent += 1)
      const recording = await longRecording(recordingBytes, number)
      const before = await resetPeak(library.pid)
      const { ms, arrivedMs } = await send({ library, headers, recording, number })
      growths.push((await peakMegabytes(library.pid)) - before)
      if (arrivedMs !== undefined) arrivals.push((megabytes / arrivedMs) * 1000)
      return (megabytes / ms) * 1000
    },
    (round) => putByNginx(nginx, round),
  )
  const onDisk = arrivals.length > 0 ? ` (${median(arrivals).toFixed(0)} MB/s until it is on disk)` : ''
  report({
    work,
    product: `${measured.product.toFixed(0)} MB/s${onDisk}`,
    yardstick: `nginx DAV PUT ${measured.yardstick.toFixed(0)} MB/s`,
    ratio: ratioText(measured.ratios),
    target: '≥ 0.45 ×',
    met: median(measured.ratios) >= 0.45,
  })
  // The first upload also allocates the buffers that later ones reuse.
  const growth = Math.max(...growths)
  report({
    work: 'the same: growth of the server’s peak memory',
    product: `${growth.toFixed(0)} MB at most, ${median(growths).toFixed(0)} MB mostly`,
    yardstick: '–',
    ratio: '–',
    target: '≤ 50 MB',
    met: growth <= 50,
  })
}

/** Megabytes per second. */
async function putByNginx(nginx: Nginx, round: number): Promise<number> {
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

const boundary = '----bench7f3a'

async function sendForm({ library, headers, recording, number }: Sending): Promise<Sent> {
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
  const form = [
    Buffer.from(head.join('') + part),
    ...piecesOf(recording),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]
  const { status, ms, body } = await exchange(library.url + uploads.smartUpload.path, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(form.reduce((sum, { length }) => sum + length, 0)),
    },
    body: form,
  })
  if (status !== 200) throw new Error(`The upload answered ${status}: ${body.toString()}`)
  return { ms }
}

async function sendResumably(
  { library, headers: common, recording, number }: Sending,
  requestBytes: number,
): Promise<Sent> {
  const id = uuidv7(Date.now())
  const started = performance.now()
  const request = async (
    method: string,
    at: string,
    headers: Record<string, string>,
    body: Buffer[] = [],
  ) => {
    const { status, body: answer } = await exchange(library.url + at, {
      method,
      headers: { ...common, 'tus-resumable': '1.0.0', ...headers },
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
