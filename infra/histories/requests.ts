import type { TeachingPatch } from '@fellowship/schema/teachings/teaching-words'

/** What a device asks of the server. */
export const asks = [
  'begin an upload',
  'send bytes',
  'publish',
  'edit',
  'delete',
  'pull',
  'download a backup',
] as const
export type Ask = (typeof asks)[number]

/** One request of a device. */
export interface AskedRequest {
  readonly ask: Ask
  /** The upload, which is also the uid of its teaching; or the teaching that is to be changed. */
  readonly uid: string | undefined
  /** Names a write that must happen once, however often it is asked for. */
  readonly key?: string | undefined
  /** What an edit wants the teaching to be. */
  readonly words?: TeachingPatch
  /** The status of the answer; undefined where none came. */
  told?: number
  /** Resolves when there is an answer, or none will come. */
  readonly settled: Promise<void>
}

type Described = Omit<AskedRequest, 'settled' | 'told'>

/** Reads out of a request what is asked; undefined for others, such as for a CSRF token. */
export function describeRequest(address: string, init: RequestInit | undefined): Described | undefined {
  const { pathname, searchParams } = new URL(address)
  const method = init?.method ?? 'GET'
  const headers = new Headers(init?.headers)
  const [, , room, id, action] = pathname.split('/')
  if (pathname === '/api/sync') return { ask: 'pull', uid: undefined }
  if (pathname === '/api/backup/create-manual') return { ask: 'download a backup', uid: undefined }
  if (room === 'uploads' && action === 'finalize') return { ask: 'publish', uid: id, key: `publish ${id}` }
  if (room === 'uploads' && method === 'PATCH') return { ask: 'send bytes', uid: id }
  if (room === 'uploads' && method === 'POST')
    return { ask: 'begin an upload', uid: jobIdOf(headers.get('upload-metadata') ?? '') }
  const key = headers.get('idempotency-key') ?? undefined
  if (room === 'teachings' && method === 'DELETE')
    return { ask: 'delete', uid: searchParams.get('uid') ?? undefined, key }
  if (room !== 'teachings' || method !== 'PUT' || !(init?.body instanceof FormData)) return undefined
  const { uid, baseRev: _, ...words } = Object.fromEntries(init.body) as Record<string, string>
  return { ask: 'edit', uid, key, words }
}

/** `jobId` of Upload-Metadata (tus 1.0.0): names and base64 values, separated by commas. */
function jobIdOf(metadata: string): string | undefined {
  const value = metadata
    .split(',')
    .map((pair) => pair.split(' '))
    .find(([name]) => name === 'jobId')?.[1]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString()
}
