import { wordsIn } from '@fellowship/schema/teachings/teaching-words'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { CallError, NetworkError } from '../../call/call-error.ts'
import { call, type Transport } from '../../call/call.ts'
import { csrfTokenBefore, forgetCsrfToken } from '../../call/csrf.ts'
import type { UploadJob } from '../database/upload-database.ts'

/** The four requests of tus 1.0.0 that an upload needs, and our own to finalize it. */

const path = '/api/uploads'
/** Timeouts in milliseconds. Bytes that the server has received by then count all the same. */
const patience = { ask: 30_000, send: 120_000, finalize: 120_000 }

/** @throws CallError `upload_exists` where the server has the upload already; NetworkError */
export async function beginUpload(job: UploadJob, transport: Transport, signal: AbortSignal): Promise<void> {
  const metadata = {
    filename: job.filename,
    jobId: job.uploadId,
    sha256: job.sha256!,
    // Another person may have signed in on this device in between.
    owner: String(job.ownerUserId),
  }
  await request(transport, 'POST', path, patience.ask, signal, {
    'upload-length': String(job.size),
    'upload-metadata': Object.entries(metadata)
      .map(([name, value]) => `${name} ${base64(value)}`)
      .join(','),
  })
}

/** How many bytes the server has. */
export async function askOffset(
  { uploadId }: UploadJob,
  transport: Transport,
  signal: AbortSignal,
): Promise<number> {
  return offsetOf(await request(transport, 'HEAD', `${path}/${uploadId}`, patience.ask, signal))
}

/** Sends what follows `offset`; returns the new one. */
export async function sendBytes(
  { uploadId }: UploadJob,
  offset: number,
  bytes: Uint8Array<ArrayBuffer>,
  transport: Transport,
  signal: AbortSignal,
): Promise<number> {
  const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
  return offsetOf(
    await request(transport, 'PATCH', `${path}/${uploadId}`, patience.send, signal, headers, bytes),
  )
}

export async function removeUpload(
  { uploadId }: UploadJob,
  transport: Transport,
  signal: AbortSignal,
): Promise<void> {
  await request(transport, 'DELETE', `${path}/${uploadId}`, patience.ask, signal)
}

export async function finalizeUpload(
  { uploadId, fields, replace }: UploadJob,
  transport: Transport,
  signal: AbortSignal,
): Promise<Teaching> {
  const body = { ...wordsIn(fields), ...replace }
  const over = AbortSignal.any([signal, AbortSignal.timeout(patience.finalize)])
  const answer = await call(
    uploads.finalize,
    { params: { id: uploadId }, body, signal: over },
    transport,
  ).catch((error: unknown) => {
    throw error instanceof CallError ? error : new NetworkError(error)
  })
  return answer.teaching
}

async function request(
  transport: Transport,
  method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE',
  address: string,
  patienceMs: number,
  signal: AbortSignal,
  headers: Record<string, string> = {},
  body?: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  return withPatience(patienceMs, signal, async (over) => {
    try {
      return await send(over)
    } catch (error) {
      if (!(error instanceof CallError && error.code === 'csrf')) throw error
      // A token is as old as its session; the next one is asked for once.
      forgetCsrfToken(transport)
      return send(over)
    }
  })

  async function send(over: AbortSignal): Promise<Response> {
    const sent: Record<string, string> = { 'tus-resumable': '1.0.0', ...headers }
    if (method !== 'HEAD')
      sent['x-csrf-token'] = await csrfTokenBefore(transport, over, (reason) => new NetworkError(reason))
    let response: Response
    let text: string
    try {
      response = await transport.fetch(transport.base + address, {
        method,
        headers: sent,
        credentials: 'same-origin',
        signal: over,
        ...(body && { body }),
      })
      text = await response.text()
    } catch (error) {
      throw new NetworkError(error)
    }
    if (!response.ok) throw new CallError(response.status, text || response.statusText)
    return response
  }
}

/**
 * Ends work by the outer signal or after `ms`. By hand: signals put together by `AbortSignal.any` are missing in older
 * browsers, and engines were seen to collect them, with their timeouts, while they were waited for.
 */
async function withPatience<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, ms)
  outer.addEventListener('abort', abort)
  if (outer.aborted) abort()
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', abort)
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
