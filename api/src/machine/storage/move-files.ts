import { createHash } from 'node:crypto'
import { storedKinds, storedSha256, type BlobStore, type StoredKind } from './blob-store.ts'
import type { StagingArea } from './storage.ts'

export interface MoveReport {
  moved: number
  bytes: number
  /** Recordings and handouts whose bytes are not those of their name. They are not moved. */
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
  await using file = await from.open(kind, name)
  // Deleted meanwhile.
  if (!file) return
  const staged = await stagingArea.stage()
  try {
    const read = createHash('sha256')
    for await (const chunk of (await file.read(0, file.bytes - 1)) as AsyncIterable<Buffer>) {
      read.update(chunk)
      await staged.write([chunk])
    }
    await staged.finish()
    const hash = read.digest('hex')
    const named = /^[0-9a-f]{64}(?=\.)/.exec(name)?.[0]
    if (kind !== 'images' && named !== undefined && named !== hash) {
      report.damaged.push(name)
      return
    }
    if ((await storedSha256(to, kind, name)) !== hash) {
      await to.put(kind, name, staged.path)
      if ((await storedSha256(to, kind, name)) !== hash)
        throw new Error(`${name} did not come back from "${to.place}" as it was stored.`)
    }
    await from.remove(kind, name)
    report.moved += 1
    report.bytes += file.bytes
  } finally {
    await staged.discard()
  }
}
