import type { TeachingPatch } from '@fellowship/schema/teachings/teaching-words'

/** The kinds of requests of a device. */
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
  /** The text of the teaching after an edit. */
  readonly words?: TeachingPatch
  /** The status of the answer; undefined if none came. */
  told?: number
  /** Resolves when there is an answer, or none will come. */
  readonly settled: Promise<void>
}

type Described = Omit<AskedRequest, 'settled' | 'told'>

/** The kind of a request; undefined for others, such as for a CSRF token. */
export function askOf(method: string, pathname: string): Ask | undefined {
  const [, , room, , action] = pathname.split('/')
  if (pathname === '/api/sync') return 'pull'
  if (pathname === '/api/backup/create-manual') return 'download a backup'
  if (room === 'uploads' && action === 'finalize') return 'publish'
  return byMethod[`${method} ${room}`]
}

const byMethod: Readonly<Record<string, Ask>> = {
  'POST uploads': 'begin an upload',
  'PATCH uploads': 'send bytes',
  'PUT teachings': 'edit',
  'DELETE teachings': 'delete',
}

/** Reads the kind of a request, and its upload or teaching, which earlier releases do not name. */
export function describeRequest(address: string, init: RequestInit | undefined): Described | undefined {
  const { pathname, searchParams } = new URL(address)
  const ask = askOf(init?.method ?? 'GET', pathname)
  if (ask === undefined) return undefined
  const headers = new Headers(init?.headers)
  const id = pathname.split('/')[3]
  const key = headers.get('idempotency-key') ?? undefined
  if (ask === 'begin an upload') return { ask, uid: jobIdOf(headers.get('upload-metadata') ?? '') }
  if (ask === 'send bytes') return { ask, uid: id }
  if (ask === 'publish') return { ask, uid: id, key: `publish ${id}` }
  if (ask === 'delete') return { ask, uid: searchParams.get('uid') ?? undefined, key }
  if (ask !== 'edit' || !(init?.body instanceof FormData)) return { ask, uid: undefined }
  const { uid, baseRev: _, ...words } = Object.fromEntries(init.body) as Record<string, string>
  return { ask, uid, key, words }
}
/** `jobId` of Upload-Metadata (tus 1.0.0): names and base64 values, separated by commas. */
function jobIdOf(metadata: string): string | undefined {
  const value = metadata
    .split(',')
    .map((pair) => pair.split(' '))
    .find(([name]) => name === 'jobId')?.[1]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString()
}
