import { Buffer } from 'node:buffer'
import type { TestClient } from './test-client.ts'

export interface TusAnswer {
  status: number
  headers: Headers
  body: Record<string, unknown>
  /** Upload-Offset, if there is one. */
  offset: number | undefined
}

/** Requests of tus 1.0.0, each with the CSRF token. */
export function tusClient(client: TestClient, token: string | undefined) {
  async function send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Uint8Array<ArrayBuffer> | ReadableStream,
  ): Promise<TusAnswer> {
    const sent: Record<string, string> = { 'tus-resumable': '1.0.0', ...headers }
    if (token !== undefined) sent['x-csrf-token'] ??= token
    const init: RequestInit = { method, headers: sent }
    if (body) Object.assign(init, { body, ...(body instanceof ReadableStream && { duplex: 'half' }) })
    const response = await client.fetch(client.base + path, init)
    const text = await response.text()
    const offset = response.headers.get('upload-offset')
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      offset: offset === null ? undefined : Number(offset),
    }
  }
  return {
    send,
    create: (bytes: number, metadata: Record<string, string> = {}, headers: Record<string, string> = {}) =>
      send('POST', '/api/uploads', {
        'upload-length': String(bytes),
        ...(Object.keys(metadata).length > 0 && { 'upload-metadata': metadataHeader(metadata) }),
        ...headers,
      }),
    head: (id: string) => send('HEAD', `/api/uploads/${id}`),
    patch: (
      id: string,
      offset: number,
      body: Uint8Array | ReadableStream,
      headers: Record<string, string> = {},
    ) =>
      send(
        'PATCH',
        `/api/uploads/${id}`,
        { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...headers },
        body instanceof ReadableStream ? body : new Uint8Array(body),
      ),
    remove: (id: string) => send('DELETE', `/api/uploads/${id}`),
  }
}

export const metadataHeader = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')
