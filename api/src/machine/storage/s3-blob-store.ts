import path from 'node:path'
import { handoutTypes, type HandoutType } from '@fellowship/schema/handouts/handouts.limits'
import { audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import {
  checkedName,
  FileGone,
  storedKinds,
  type BlobStore,
  type StoredFile,
  type StoredKind,
} from './blob-store.ts'
import { S3Refusal, type S3Client, type S3Object } from './s3-client.ts'

/** Objects `audio/…`, `images/…` and `handouts/…` of a bucket. Their headers let a CDN deliver them as they are. */
export function s3BlobStore(
  client: S3Client,
  { place, publicUrl }: { place: string; publicUrl: string | undefined },
): BlobStore {
  const keyOf = (kind: StoredKind, name: string) => `${kind}/${checkedName(name)}`
  return {
    place,
    isLocal: false,
    async put(kind, name, file) {
      const key = keyOf(kind, name)
      await client.putFile({ key, headers: headersOf(kind, name) }, file)
    },
    async stat(kind, name) {
      const found = await client.stat(keyOf(kind, name))
      return found && described(found)
    },
    async open(kind, name) {
      const key = keyOf(kind, name)
      const found = await client.stat(key)
      if (!found) return undefined
      const { tag } = found
      return {
        ...described(found),
        ...(publicUrl !== undefined && kind === 'audio' && { publicUrl: `${publicUrl}/${key}` }),
        read: (start, end) => client.read({ key, tag, start, end }).catch(asGone),
        close: async () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      }
    },
    async remove(kind, name) {
      const key = keyOf(kind, name)
      if (!(await client.stat(key))) return false
      await client.remove(key)
      return true
    },
    async *list(kind) {
      for await (const found of client.list(`${kind}/`)) yield described(found)
    },
    async tidy(limit) {
      for (const kind of storedKinds) await client.abortUploads(`${kind}/`, limit)
    },
    elsewhere: async () => undefined,
    isReachable: rememberedFor(lookMs, () =>
      client.stat('audio/is-reachable').then(
        () => true,
        (error: unknown) => error instanceof S3Refusal && error.status < 500,
      ),
    ),
  }
}

/** How long an answer about the store's state stays true. */
const lookMs = 10_000

function rememberedFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let known: { answer: Promise<T>; until: number } | undefined
  return () => {
    if (!known || known.until < performance.now()) known = { answer: ask(), until: performance.now() + ms }
    return known.answer
  }
}

function asGone(error: unknown): never {
  if (error instanceof S3Refusal && (error.status === 404 || error.status === 412))
    throw new FileGone('The object was removed or replaced.', { cause: error })
  throw error
}

const described = ({ key, bytes, modifiedAt, tag }: S3Object): StoredFile => ({
  name: key.slice(key.indexOf('/') + 1),
  bytes,
  modifiedAt,
  placedAt: modifiedAt,
  version: tag,
})

const headersOf = (kind: StoredKind, name: string) => ({
  'content-type': typeOf(kind, path.extname(name).slice(1)),
  'cache-control': 'public, max-age=31536000, immutable, no-transform',
})

function typeOf(kind: StoredKind, extension: string): string {
  if (kind === 'images') return extension === 'jpg' ? 'image/jpeg' : 'image/webp'
  if (kind === 'handouts') return handoutTypes[extension as HandoutType].mime
  return audioMime[extension as AudioExtension] ?? 'application/octet-stream'
}
