import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { expect } from 'vitest'
import { longWav } from '@fellowship/api/testing/long-wav'
import { lftpArgs } from '@fellowship/api/testing/sftp-programs'
import { tusClient } from '@fellowship/api/testing/tus'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { libraryCalls } from './library-calls.ts'
import { administrator, signInByCall, type TestSession } from './people.ts'
import type { Product } from './product.ts'
import { onDisk, type RecordingFile } from './recordings.ts'

const wav = (title: string, bytes: number, seed: number): RecordingFile => ({
  name: `2026-11-22_Sam-Desk"${title}".wav`,
  mimeType: 'audio/wav',
  buffer: Buffer.concat([...longWav(bytes, seed)]),
})
/** Too large for the buffers of a connection: whoever does not read keeps it under way. */
const listened = wav('Listened to', 24_000_000, 1)
const uploaded = wav('Uploaded', 3_000_000, 2)
const dropped = wav('Dropped', 3_000_000, 3)
const acknowledged = 1_000_000

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Everything that takes its time, under way at one product. */
export interface BusyProduct {
  /** Reads the rest of a download; the SHA-256 of all of it. */
  finishDownload(): Promise<string>
  /** The expected bytes of the download. */
  readonly downloaded: string
  /** Sends the rest of interrupted uploads to the restarted product; returns the titles and hashes it must have then. */
  resume(again: Product): Promise<Record<string, string>>
}

/**
 * Two downloads, a backup, a resumable upload and a transfer by SFTP begin, and stay under way: nobody reads on, nobody
 * sends on, the transfer is throttled.
 */
export async function makeBusy(product: Product): Promise<BusyProduct> {
  const session = await signInByCall(product.url, administrator)
  const { audioUrl } = await libraryCalls(() => product.url).add(listened, {})
  const download = await begin(session, audioUrl!)
  await begin(session, audioUrl!)
  await begin(session, '/api/backup/create-manual')
  const id = await halfAnUpload(product, session)
  const cutOff = await halfATransfer(product, session)
  return {
    downloaded: sha256(listened.buffer),
    finishDownload: () => rest(download),
    async resume(again) {
      const later = await signInByCall(again.url, administrator)
      // Their files come and go.
      await call(copies.change, { body: { paused: true } }, later)
      await restOfUpload(later, id)
      expect(await cutOff.ended).not.toBe(0)
      expect(await transfer(later)).toBe(0)
      const sent = { 'Listened to': listened, Uploaded: uploaded, Dropped: dropped }
      return Object.fromEntries(Object.entries(sent).map(([title, { buffer }]) => [title, sha256(buffer)]))
    },
  }
}

interface Download {
  readonly answer: IncomingMessage
  readonly parts: Buffer[]
}

/** Asks, reads the first bytes, and reads no further. */
async function begin(session: TestSession, address: string): Promise<Download> {
  const cookie = [...session.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const request = get(session.base + address, { agent: false, headers: { cookie } })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(200)
  // It may be cut off.
  request.on('error', () => undefined)
  answer.on('error', () => undefined)
  const parts: Buffer[] = []
  answer.on('data', (part: Buffer) => parts.push(part))
  await once(answer, 'data')
  answer.pause()
  return { answer, parts }
}

async function rest({ answer, parts }: Download): Promise<string> {
  const ended = once(answer, 'close')
  answer.resume()
  await ended
  return sha256(Buffer.concat(parts))
}

const sizeOf = (product: Product, ...names: string[]) =>
  stat(path.join(product.dataDir, ...names)).then(
    ({ size }) => size,
    () => 0,
  )
/** Of work under way, which ends soon: the usual pause between two looks could pass it by. */
const poll = { interval: 50 }

/** The first bytes are acknowledged; the next request never ends. */
async function halfAnUpload(product: Product, session: TestSession): Promise<string> {
  const { csrfToken } = await call(auth.csrfToken, {}, session)
  const tus = tusClient(session, csrfToken)
  const id = uuidv7(Date.now())
  await tus.create(uploaded.buffer.length, {
    jobId: id,
    filename: uploaded.name,
    sha256: sha256(uploaded.buffer),
  })
  expect(await tus.patch(id, 0, uploaded.buffer.subarray(0, acknowledged))).toMatchObject({ status: 204 })
  const further = uploaded.buffer.subarray(acknowledged, 2 * acknowledged)
  const endless = new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(further)) })
  tus.patch(id, acknowledged, endless).catch(() => undefined)
  await expect.poll(() => sizeOf(product, 'uploads', id), poll).toBeGreaterThan(acknowledged)
  return id
}

async function restOfUpload(session: TestSession, id: string): Promise<void> {
  const { csrfToken } = await call(auth.csrfToken, {}, session)
  const tus = tusClient(session, csrfToken)
  const { offset } = await tus.head(id)
  expect(offset).toBeGreaterThanOrEqual(acknowledged)
  expect(await tus.patch(id, offset!, uploaded.buffer.subarray(offset))).toMatchObject({ status: 204 })
  await call(uploads.finalize, { params: { id }, body: {} }, session)
}

/** @returns the exit code of the client, when it has given up */
async function halfATransfer(product: Product, session: TestSession): Promise<{ ended: Promise<number> }> {
  // On a Sunday around noon it would be open already.
  await call(sftp.stop, {}, session)
  await call(sftp.start, {}, session)
  const ended = transfer(session, { kilobytesPerSecond: 50 })
  await expect.poll(() => sizeOf(product, 'sftp-staging', dropped.name), poll).toBeGreaterThan(0)
  return { ended }
}

/** Sends or resumes a recording with lftp, as a sound desk does; its exit code. */
async function transfer(session: TestSession, { kilobytesPerSecond = 0 } = {}): Promise<number> {
  const { password, port } = await call(sftp.credentials, {}, session)
  const limits = `set net:max-retries 1; set net:reconnect-interval-base 1; set net:limit-rate 0:${kilobytesPerSecond}K`
  const program = spawn(
    'lftp',
    lftpArgs({ port, password }, `${limits}; put -c ${JSON.stringify(onDisk(dropped))}`),
    { stdio: 'ignore' },
  )
  return once(program, 'exit').then(([code]) => code as number)
}

/** The titles of a library, and the hashes of their recordings as they are served. */
export async function servedRecordings(product: Product): Promise<Record<string, string>> {
  const teachings = (await (await fetch(`${product.url}/api/teachings`)).json()) as Teaching[]
  const pairs = teachings.map(async ({ title, audioUrl }) => {
    const bytes = await (await fetch(product.url + audioUrl!)).arrayBuffer()
    return [title, sha256(new Uint8Array(bytes))] as const
  })
  return Object.fromEntries(await Promise.all(pairs))
}
