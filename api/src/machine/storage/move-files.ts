import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { storedKinds, type BlobStore, type OpenBlob, type StoredKind } from './blob-store.ts'
import type { StagingArea } from './storage.ts'

export interface MoveReport {
  moved: number
  bytes: number
  /** Recordings whose bytes are not those of their name. They are not moved. */
  readonly damaged: string[]
}

interface Moving {
  from: BlobStore
  to: BlobStore
  /** For the copy on its way. */
  stagingArea: Pick<StagingArea, 'stage'>
  /** Runs the work on one file while no other process stores or removes it. */
  locked: (kind: StoredKind, name: string, work: () => Promise<void>) => Promise<void>
  onMoved?: (report: MoveReport) => void
}

/**
 * Moves all finished files from one blob store to the other, one by one: copied, read back and compared by hash, and only
 * then removed. Broken off at any moment, nothing is lost, and another run goes on.
 *
 * @throws Error if a file does not come back as it was stored
 */
export async function moveFiles({ from, to, stagingArea, locked, onMoved }: Moving): Promise<MoveReport> {
  const report: MoveReport = { moved: 0, bytes: 0, damaged: [] }
  for (const kind of storedKinds) {
    const names: string[] = []
    for await (const { name } of from.list(kind)) names.push(name)
    for (const name of names) {
      await locked(kind, name, () => moveOne({ from, to, stagingArea }, { kind, name }, report))
      onMoved?.(report)
    }
  }
  return report
}

async function moveOne(
  { from, to, stagingArea }: Pick<Moving, 'from' | 'to' | 'stagingArea'>,
  { kind, name }: { kind: StoredKind; name: string },
  report: MoveReport,
): Promise<void> {
  const file = await from.open(kind, name)
  // Deleted meanwhile.
  if (!file) return
  const staged = await stagingArea.stage()
  try {
    const hash = await hashOf(await file.read(0, file.bytes - 1), (chunk) => staged.write([chunk]))
    await staged.finish()
    const named = /^[0-9a-f]{64}(?=\.)/.exec(name)?.[0]
    if (kind === 'audio' && named !== undefined && named !== hash) {
      report.damaged.push(name)
      return
    }
    if ((await storedHash(to, kind, name)) !== hash) {
      await to.put(kind, name, staged.path)
      if ((await storedHash(to, kind, name)) !== hash)
        throw new Error(`${name} did not come back from "${to.place}" as it was stored.`)
    }
    await from.remove(kind, name)
    report.moved += 1
    report.bytes += file.bytes
  } finally {
    await file.close()
    await staged.discard()
  }
}

/** Undefined if there is no such file. */
async function storedHash(blobs: BlobStore, kind: StoredKind, name: string): Promise<string | undefined> {
  const file: OpenBlob | undefined = await blobs.open(kind, name)
  if (!file) return undefined
  try {
    return await hashOf(await file.read(0, file.bytes - 1))
  } finally {
    await file.close()
  }
}

async function hashOf(bytes: Readable, onChunk?: (chunk: Buffer) => Promise<void>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    hash.update(chunk)
    await onChunk?.(chunk)
  }
  return hash.digest('hex')
}
