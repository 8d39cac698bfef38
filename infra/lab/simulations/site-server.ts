import { createHash } from 'node:crypto'
import { actingUserHeader } from '@fellowship/schema/endpoint'
import type { FinalizeInput } from '@fellowship/schema/uploads/uploads.contract'
import { emptyText, wordNames, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { problems } from '@fellowship/schema/problem'
import { refusalFor } from '@fellowship/sync/server/mutation'
import { errorResponse } from '@fellowship/sync/testing/faults'
import {
  MemoryServer,
  withoutKind,
  type MemoryAudio,
  type MemoryRow,
  type Mutation,
} from '@fellowship/sync/testing/memory-server'
import { mutationResponse, pullResponse } from '@fellowship/sync/testing/test-network'

type Bytes = Uint8Array<ArrayBuffer>

interface ServerUpload {
  userId: number
  size: number
  sha256: string
  bytes: Bytes
  state: 'open' | 'finalized' | 'refused' | 'cancelled'
  /** Of a finalized or refused one: the answer to finalize. */
  answer?: { status: number; body: object }
}

/** A recording that became a teaching, or replaced another's, for the invariants. */
export interface Published {
  uploadId: string
  uid: string
  sha256: string
  userId: number
  /** Restores before it. */
  restores: number
}

/** The context of a request of a page. */
export interface Arrival {
  /** Of the session, which may be another one than the page's. */
  userId: number | undefined
  device: string
  /** Changes of a page; the server's standard if left out. */
  limit?: number
  onArrival: (mutation: Mutation) => Promise<void>
  onMutation: (mutation: Mutation, status: number, before: MemoryRow | undefined) => Promise<void>
}

/** The in-memory server with everything that a page asks of it: the library, uploads by tus, recordings. */
export class SiteServer {
  readonly library = new MemoryServer()
  readonly published: Published[] = []
  readonly #files = new Map<string, Bytes>()
  #uploads = new Map<string, ServerUpload>()

  async handle(address: URL, init: RequestInit, arrival: Arrival): Promise<Response> {
    const { pathname } = address
    if (pathname === '/api/csrf-token') return Response.json({ csrfToken: tokenOf(arrival) })
    if (pathname === '/api/sync') return pullResponse(this.library, address, init, arrival.limit)
    if (pathname.startsWith('/audio/')) return this.#recording(pathname, new Headers(init.headers))
    const refused = refuseSession(init, arrival)
    if (refused) return refused
    if (pathname.startsWith('/api/uploads')) return this.#upload(pathname, init, arrival)
    return mutationResponse(this.library, address, init, arrival)
  }

  /** The bytes of a teaching's recording; undefined if it has none, or they are missing. */
  bytesOf({ audioUrl }: Pick<MemoryAudio, 'audioUrl'>): Bytes | undefined {
    return audioUrl === null ? undefined : this.#files.get(audioUrl)
  }

  /** A recording that came in by another way. */
  addRecording(bytes: Bytes): MemoryAudio {
    const audioUrl = `/audio/${sha256Of(bytes)}.mp3`
    this.#files.set(audioUrl, bytes)
    return { audioUrl, audioBytes: bytes.length, audioMime: 'audio/mpeg' }
  }

  /** Uploads are in no backup. */
  restore(...given: Parameters<MemoryServer['restore']>): void {
    this.library.restore(...given)
    this.#uploads = new Map()
  }

  #recording(path: string, headers: Headers): Response {
    const bytes = this.#files.get(path)
    if (!bytes) return errorResponse(404, 'not_found')
    const etag = `"${path.slice('/audio/'.length, -'.mp3'.length)}"`
    const from = Number(/^bytes=(\d+)-$/.exec(headers.get('range') ?? '')?.[1] ?? 0)
    const length = String(bytes.length - from)
    if (from === 0 || headers.get('if-range') !== etag)
      return new Response(bytes, { headers: { etag, 'content-length': String(bytes.length) } })
    const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`
    return new Response(bytes.slice(from), {
      status: 206,
      headers: { etag, 'content-range': range, 'content-length': length },
    })
  }

  #upload(path: string, init: RequestInit, arrival: Arrival): Response {
    const userId = arrival.userId!
    const headers = new Headers(init.headers)
    const [id = '', step] = path.slice('/api/uploads/'.length).split('/')
    if (id === '') return this.#begin(userId, headers)
    const upload = this.#uploads.get(id)
    if (upload?.userId !== userId) return refusal('not_found', init)
    if (step === 'finalize') {
      const { status, body } = this.#finalize(id, upload, JSON.parse(init.body as string) as FinalizeInput)
      return Response.json(body, { status })
    }
    if (init.method === 'DELETE') {
      if (upload.state === 'finalized') return refusal('upload_finished', init)
      this.#uploads.set(id, { ...upload, state: 'cancelled', bytes: new Uint8Array() })
      return new Response(null, { status: 204 })
    }
    if (upload.state === 'refused' || upload.state === 'cancelled') return refusal('upload_gone', init)
    if (init.method === 'PATCH') {
      if (Number(headers.get('upload-offset')) !== upload.bytes.length) return refusal('upload_offset', init)
      upload.bytes = Buffer.concat([upload.bytes, init.body as Uint8Array])
    }
    const offset = upload.state === 'finalized' ? upload.size : upload.bytes.length
    return new Response(null, {
      status: init.method === 'PATCH' ? 204 : 200,
      headers: { 'upload-offset': String(offset) },
    })
  }

  #begin(userId: number, headers: Headers): Response {
    const metadata = metadataOf(headers)
    const { jobId: id = '', sha256 = '' } = metadata
    if (metadata['owner'] !== String(userId)) return errorResponse(401, 'unauthorized')
    const before = this.#uploads.get(id)
    if (before && !(before.state === 'refused' && before.userId === userId))
      return refusal(before.state === 'cancelled' ? 'upload_gone' : 'upload_exists')
    const upload = { userId, size: Number(headers.get('upload-length')), sha256, bytes: new Uint8Array() }
    const { rows, changes } = this.library.data
    const teaching = rows.get(`teaching:${id}`)
    if (teaching?.audioUrl?.includes(sha256)) {
      const answer = { status: 200, body: { success: true, teaching: withoutKind(teaching) } }
      this.#uploads.set(id, { ...upload, state: 'finalized', answer })
      return refusal('upload_exists')
    }
    // Also one in the bin.
    if (changes.has(`teaching:${id}`)) return refusal('duplicate')
    this.#uploads.set(id, { ...upload, state: 'open' })
    return new Response(null, { status: 201 })
  }

  #finalize(id: string, upload: ServerUpload, input: FinalizeInput): { status: number; body: object } {
    if (upload.answer) return upload.answer
    if (upload.state === 'cancelled') return problem('upload_gone')
    if (upload.bytes.length < upload.size) return problem('upload_incomplete')
    if (sha256Of(upload.bytes) !== upload.sha256) {
      this.#uploads.delete(id)
      return problem('upload_damaged')
    }
    const audio = this.addRecording(upload.bytes)
    const published = this.#publish(id, upload, input, audio)
    if (!('row' in published)) {
      const { refused: code, current } = published
      const refused = problem(code, current && { current: withoutKind(current) })
      if (code === 'duplicate') Object.assign(upload, { state: 'refused', answer: refused })
      return refused
    }
    const { userId, sha256 } = upload
    const { row } = published
    const { restores } = this.library
    this.published.push({ uploadId: id, uid: row.uid, sha256, userId, restores })
    const answer = { status: 200, body: { success: true, teaching: withoutKind(row) } }
    Object.assign(upload, { state: 'finalized', answer })
    return answer
  }

  #publish(
    id: string,
    { sha256 }: ServerUpload,
    input: FinalizeInput,
    audio: MemoryAudio,
  ): { row: MemoryRow } | { refused: 'duplicate' | 'not_found' | 'revision_conflict'; current?: MemoryRow } {
    const { rows } = this.library.data
    const { teachingId, baseRev, uid = id, ...words } = input
    const row = teachingId === undefined ? undefined : this.library.rowOf({ uid, teachingId })
    const code =
      teachingId === undefined ? undefined : refusalFor(row && this.library.presentOf(row), { uid, baseRev })
    if (code) return { refused: code, ...(code === 'revision_conflict' && { current: row! }) }
    const isThere = [...rows.values()].some((each) => each.uid !== uid && each.audioUrl?.includes(sha256))
    if (isThere) return { refused: 'duplicate' }
    const text = { ...(row ?? emptyText), ...words } as TeachingText
    const written = Object.fromEntries(wordNames.map((name) => [name, text[name]]))
    this.library.commit([{ kind: 'teaching', uid, text: written, audio }])
    return { row: rows.get(`teaching:${uid}`)! }
  }
}

/** Remembered: the same few recordings are sent again and again. */
const hashes = new WeakMap<Uint8Array, string>()

export function sha256Of(bytes: Uint8Array): string {
  const hash = hashes.get(bytes) ?? createHash('sha256').update(bytes).digest('hex')
  hashes.set(bytes, hash)
  return hash
}

const tokenOf = ({ userId }: Arrival) => `token of ${userId ?? 'nobody'}`

/** As the server does before every change: the session, its token, and the person that the request was made for. */
function refuseSession(init: RequestInit, arrival: Arrival): Response | undefined {
  const headers = new Headers(init.headers)
  if (arrival.userId === undefined) return refusal('unauthorized', init)
  if (init.method !== 'HEAD' && headers.get('x-csrf-token') !== tokenOf(arrival)) return refusal('csrf', init)
  if (headers.get(actingUserHeader) !== String(arrival.userId)) return refusal('unauthorized', init)
  return undefined
}

const problem = (code: keyof typeof problems, extra: object = {}) => ({
  status: problems[code].status,
  body: { success: false, code, error: problems[code].sentence, ...extra },
})

function refusal(code: keyof typeof problems, init?: RequestInit): Response {
  const { status, body } = problem(code)
  return init?.method === 'HEAD' ? new Response(null, { status }) : Response.json(body, { status })
}

function metadataOf(headers: Headers): Record<string, string> {
  const pairs = (headers.get('upload-metadata') ?? '').split(',').map((pair) => pair.split(' '))
  return Object.fromEntries(
    pairs.map(([name, value]) => [name!, Buffer.from(value ?? '', 'base64').toString()]),
  )
}
