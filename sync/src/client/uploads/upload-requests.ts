import { actingUserHeader } from '@fellowship/schema/endpoint'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { wordsIn } from '@fellowship/schema/teachings/teaching-words'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { CallError, NetworkError, networkErrorOf } from '../../call/call-error.ts'
import { call, type Transport } from '../../call/call.ts'
import { csrfTokenBefore, forgetCsrfToken } from '../../call/csrf.ts'
import { handouts as calls } from '@fellowship/schema/handouts/handouts.contract'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import type { UploadJob, UploadDatabase } from '../database/upload-database.ts'
import { withTimeLimit } from '../engine/request.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { chunkBytes } from '../database/stored-files.ts'

/** The four requests of tus 1.0.0 that an upload needs, and our own to finalize it and to send its text and its handouts. */

const path = '/api/uploads'

/** @throws CallError `upload_exists` if the server has the upload already; NetworkError */
export async function beginUpload(job: UploadJob, transport: Transport, outer: AbortSignal): Promise<void> {
  const metadata = {
    filename: job.filename,
    jobId: job.uploadId,
    sha256: job.sha256!,
    // Another person may have signed in on this device in between.
    owner: String(job.ownerUserId),
  }
  const headers = {
    'upload-length': String(job.size),
    'upload-metadata': Object.entries(metadata)
      .map(([name, value]) => `${name} ${base64(value)}`)
      .join(','),
  }
  await request(job, { method: 'POST', address: path, expect: 201, headers }, transport, outer)
}

/** How many bytes the server has. */
export async function askOffset(job: UploadJob, transport: Transport, outer: AbortSignal): Promise<number> {
  const head = { method: 'HEAD', address: `${path}/${job.uploadId}`, expect: 200 } as const
  return offsetOf(await request(job, head, transport, outer))
}

/** Sends the bytes after `offset`; returns the new one. */
export async function sendBytes(
  job: UploadJob,
  offset: number,
  body: Uint8Array<ArrayBuffer>,
  transport: Transport,
  outer: AbortSignal,
): Promise<number> {
  const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
  const patch = { method: 'PATCH', address: `${path}/${job.uploadId}`, expect: 204, headers, body } as const
  return offsetOf(await request(job, patch, transport, outer))
}

export async function removeUpload(job: UploadJob, transport: Transport, outer: AbortSignal): Promise<void> {
  const remove = { method: 'DELETE', address: `${path}/${job.uploadId}`, expect: 204 } as const
  await request(job, remove, transport, outer)
}

/** @returns the teaching, only if the answer is a whole one of our server, and the one that this upload becomes */
export async function finalizeUpload(
  { uploadId, fields, replace, ownerUserId, acceptCutOff, acceptSound }: UploadJob,
  transport: Transport,
  outer: AbortSignal,
): Promise<Teaching> {
  const accepted = { ...(acceptCutOff && { acceptCutOff }), acceptSound: acceptSound ?? false }
  const body = { ...wordsIn(fields), ...replace, ...accepted }
  const input = { params: { id: uploadId }, body, headers: { [actingUserHeader]: String(ownerUserId) } }
  const { teaching } = await withTimeLimit(
    ({ signal }) => call(uploads.finalize, { ...input, signal }, transport),
    { outer: [outer] },
  )
  const expected = replace ? replace.uid : uploadId
  if (expected !== undefined && teaching.uid !== expected)
    throw new NetworkError(new Error('The answer is about another teaching'))
  return teaching
}

/** Sends the text of a recording that is in the library; it becomes the draft of its teaching. */
export async function sendCaptions(
  { id, captions, ownerUserId }: UploadJob,
  teaching: Pick<Teaching, 'id' | 'uid'>,
  transport: Transport,
  outer: AbortSignal,
): Promise<void> {
  const input = {
    params: { id: teaching.id },
    query: { uid: teaching.uid },
    files: { transcript: new Blob([captions!]) },
    headers: { 'idempotency-key': id, [actingUserHeader]: String(ownerUserId) },
  }
  await withTimeLimit(({ signal }) => call(transcripts.save, { ...input, signal }, transport), {
    outer: [outer],
  })
}

/** Sends a handout of a recording that is in the library. Idempotent: the server knows it by its bytes. */
export async function sendHandout(
  { ownerUserId }: UploadJob,
  handout: File,
  teaching: Pick<Teaching, 'id' | 'uid'>,
  transport: Transport,
  outer: AbortSignal,
): Promise<void> {
  const input = {
    params: { id: teaching.id },
    query: { uid: teaching.uid },
    files: { handout },
    headers: { [actingUserHeader]: String(ownerUserId) },
  }
  await withTimeLimit(({ signal }) => call(calls.add, { ...input, signal }, transport), {
    outer: [outer],
    ms: uploadTimeoutMs,
  })
}

interface TusRequest {
  method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE'
  address: string
  /** The only status that means success: a portal's page answers 200 to anything. */
  expect: number
  headers?: Record<string, string>
  body?: Uint8Array<ArrayBuffer>
}

async function request(
  { ownerUserId }: UploadJob,
  { method, address, expect, headers, body }: TusRequest,
  transport: Transport,
  outer: AbortSignal,
): Promise<Response> {
  return withTimeLimit(
    async ({ signal }) => {
      try {
        return await send(signal)
      } catch (error) {
        if (!(error instanceof CallError && error.code === 'csrf')) throw error
        // A token is as old as its session; the next one is asked for once.
        forgetCsrfToken(transport)
        return send(signal)
      }
    },
    { outer: [outer] },
  )

  async function send(signal: AbortSignal): Promise<Response> {
    const sent: Record<string, string> = {
      'tus-resumable': '1.0.0',
      [actingUserHeader]: String(ownerUserId),
      ...headers,
    }
    if (method !== 'HEAD') sent['x-csrf-token'] = await csrfTokenBefore(transport, signal, networkErrorOf)
    let response: Response
    let text: string
    try {
      const init = {
        method,
        headers: sent,
        credentials: 'same-origin',
        signal,
        ...(body && { body }),
      } as const
      response = await transport.fetch(transport.base + address, init)
      text = await response.text()
    } catch (error) {
      throw networkErrorOf(error)
    }
    if (!response.ok) throw new CallError(response.status, text, response)
    if (response.status !== expect) throw new NetworkError(new Error(`Status ${response.status}`))
    return response
  }
}

function offsetOf(response: Response): number {
  const offset = Number(response.headers.get('upload-offset') ?? NaN)
  // A portal page of a foreign network answers 200 to anything.
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new NetworkError(new Error('No offset in the answer'))
  return offset
}

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/**
 * Reads bytes from the chunks, from any offset: the server's bytes need not end with a chunk.
 *
 * @throws MissingBytes
 */
export async function readBytes(
  db: UploadDatabase,
  { id, size }: UploadJob,
  offset: number,
  wanted: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const end = Math.min(offset + wanted, size)
  const first = Math.floor(offset / chunkBytes)
  const last = Math.floor((end - 1) / chunkBytes)
  const rows = await db.chunks.where('[jobId+index]').between([id, first], [id, last], true, true).toArray()
  const bytes = new Uint8Array(end - offset)
  let filled = 0
  for (const { index, data } of rows) {
    const from = Math.max(offset - index * chunkBytes, 0)
    const piece = new Uint8Array(data, from, Math.min(end - index * chunkBytes, data.byteLength) - from)
    bytes.set(piece, filled)
    filled += piece.length
  }
  if (filled !== bytes.length) throw new MissingBytes()
  return bytes
}

/** The browser has deleted bytes of the recording. */
export class MissingBytes extends Error {
  override readonly name = 'MissingBytes'
  constructor() {
    super(uploadQueueTexts.evicted)
  }
}

/**
 * Verifies the hash of the stored bytes.
 *
 * @throws MissingBytes
 */
export async function checkBytes(db: UploadDatabase, job: UploadJob): Promise<void> {
  const hash = sha256.create()
  for (let at = 0; at < job.size; at += chunkBytes) hash.update(await readBytes(db, job, at, chunkBytes))
  if (bytesToHex(hash.digest()) !== job.sha256) throw new MissingBytes()
}
