import { type FileHandle, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isRunning } from '../process/process-identity.ts'
import { type BlobStore, type OpenBlob, type StoredKind, storedKinds } from './blob-store.ts'
import { diskBlobStore } from './disk-blob-store.ts'
import { syncPath } from './durable-files.ts'
import type { LeftoverChecks, Settlement, SettlementNotes, StagedFile, Storage } from './storage.ts'
import { diskStagingArea, type DiskStagingArea, type StagingOptions } from './staging-area.ts'

/**
 * A staging area below `dataDir`, on one file system, with a blob store of finished files.
 *
 * @param options.owner names this process: part of the names of its staged files
 * @param options.blobs in the data folder too unless given
 * @param options.notes in the data folder too unless given
 */
export function diskStorage(
  dataDir: string,
  {
    blobs = diskBlobStore(dataDir),
    notes,
    ...options
  }: StagingOptions & { blobs?: BlobStore; notes?: SettlementNotes | undefined } = {},
): Storage {
  const stagingArea = diskStagingArea(dataDir, options)
  const kept = notes ?? notesInFolder(stagingArea)
  return {
    ...stagingArea,
    place: blobs.place,
    isLocal: blobs.isLocal,
    stat: (kind, name) => blobs.stat(kind, name),
    open: (kind, name) => blobs.open(kind, name),
    remove: (kind, name) => blobs.remove(kind, name),
    list: (kind) => blobs.list(kind),
    tidy: (limit) => blobs.tidy(limit),
    elsewhere: () => blobs.elsewhere(),
    isReachable: () => blobs.isReachable(),
    settle: (staged, kind, name) => settle(kept, blobs, staged, { kind, name }),
    withPath: (kind, name, work) => withPath(stagingArea, blobs, { kind, name }, work),
    openHandle: (kind, name) => openHandle(stagingArea, blobs, { kind, name }),
    clearLeftovers: (checks) => clearLeftovers(stagingArea, blobs, checks),
  }
}

interface Place {
  kind: StoredKind
  name: string
}

async function settle(
  notes: SettlementNotes,
  blobs: BlobStore,
  staged: StagedFile,
  { kind, name }: Place,
): Promise<Settlement> {
  await staged.finish()
  const standing = await blobs.open(kind, name)
  if (standing) return settleOnStanding(blobs, staged, standing, { kind, name })
  const removeNote = await notes.note(kind, name)
  const undo = async () => {
    await blobs.remove(kind, name)
    await removeNote()
  }
  try {
    await blobs.put(kind, name, staged.path)
  } catch (error) {
    // It may be stored all the same. If that cannot be undone now, the note stays for the next start.
    await undo().catch(() => undefined)
    throw error
  }
  return { before: 'nothing', keep: removeNote, undo }
}

/**
 * Files are named after their content: an equal one stays, with its open handles and date, and a different one was damaged
 * since it was stored. A damaged one is replaced for good, whatever becomes of this upload.
 */
async function settleOnStanding(
  blobs: BlobStore,
  staged: StagedFile,
  standing: OpenBlob,
  { kind, name }: Place,
): Promise<Settlement> {
  const settled = { keep: async () => undefined, undo: async () => undefined }
  try {
    if (await hasBytesOf(standing, staged.path)) {
      await staged.discard()
      return { ...settled, before: 'equal' }
    }
  } finally {
    await standing.close()
  }
  await blobs.put(kind, name, staged.path)
  return { ...settled, before: 'damaged' }
}

async function withPath<T>(
  stagingArea: DiskStagingArea,
  blobs: BlobStore,
  { kind, name }: Place,
  work: (path: string) => Promise<T>,
): Promise<T | undefined> {
  await using file = await blobs.open(kind, name)
  if (!file) return undefined
  if (file.path !== undefined) return await work(file.path)
  const copy = stagingArea.aside('part')
  try {
    await writeFile(copy, await file.read(0, file.bytes - 1), { flag: 'wx' })
    return await work(copy)
  } finally {
    await rm(copy, { force: true })
  }
}

/** A fetched copy has no name any more while it is read, so that nothing is left behind. */
async function openHandle(
  stagingArea: DiskStagingArea,
  blobs: BlobStore,
  place: Place,
): Promise<FileHandle | undefined> {
  return withPath(stagingArea, blobs, place, (file) => open(file, 'r'))
}

async function clearLeftovers(
  stagingArea: DiskStagingArea,
  blobs: BlobStore,
  checks: LeftoverChecks,
): Promise<number> {
  let removed = 0
  for (const [other, names] of byOwner(await readdir(stagingArea.staging))) {
    if (other === stagingArea.owner || isRunning(other.split('_', 1)[0]!) || (await checks.isAlive(other)))
      continue
    for (const name of names) {
      const file = path.join(stagingArea.staging, name)
      removed += name.endsWith('.note') ? await clearSettled(blobs, await readNote(file), checks) : 1
      await rm(file, { force: true })
    }
  }
  return removed
}

/** Names of staged files by the process that made them. */
function byOwner(names: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const name of names) {
    const owner = name.split('.', 1)[0]!
    found.set(owner, [...(found.get(owner) ?? []), name])
  }
  return found
}

async function clearSettled(
  blobs: BlobStore,
  settled: Place | undefined,
  checks: LeftoverChecks,
): Promise<number> {
  if (!settled) return 0
  const { kind, name } = settled
  return (await checks.removeUnreferenced(kind, name, () => blobs.remove(kind, name))) ? 1 : 0
}

/** Notes beside the staged files: as lasting as the blob store of the same disk. */
const notesInFolder = (stagingArea: DiskStagingArea): SettlementNotes => ({
  async note(kind, name) {
    const file = stagingArea.aside('note')
    await writeFile(file, `${kind}/${name}`, { flag: 'wx', mode: 0o600, flush: true })
    await syncPath(stagingArea.staging)
    return () => rm(file, { force: true })
  },
})

/** A truncated note was written before the file was stored: nothing was settled. */
async function readNote(file: string): Promise<Place | undefined> {
  const [kind, name] = (await readFile(file, 'utf8')).split('/')
  const known = storedKinds.find((candidate) => candidate === kind)
  return known && name ? { kind: known, name } : undefined
}

/** Whether a stored file has the bytes of a local one: compares their sizes first, then their contents in constant memory. */
async function hasBytesOf(stored: OpenBlob, path: string): Promise<boolean> {
  await using local = await open(path, 'r')
  const { size } = await local.stat()
  if (stored.bytes !== size) return false
  return stored.handle
    ? await sameAsHandle(local, stored.handle, size)
    : await sameAsStream(local, stored, size)
}

async function sameAsHandle(first: FileHandle, second: FileHandle, size: number): Promise<boolean> {
  const pieces = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)] as const
  for (let at = 0; at < size;) {
    const wanted = Math.min(pieceBytes, size - at)
    const [a, b] = await Promise.all([
      readAll(first, pieces[0], wanted, at),
      readAll(second, pieces[1], wanted, at),
    ])
    if (a !== wanted || b !== wanted) return false
    if (!pieces[0].subarray(0, wanted).equals(pieces[1].subarray(0, wanted))) return false
    at += wanted
  }
  return true
}

async function sameAsStream(local: FileHandle, stored: OpenBlob, size: number): Promise<boolean> {
  let at = 0
  for await (const chunk of await stored.read(0, size - 1)) {
    const bytes = chunk as Buffer
    const mine = Buffer.allocUnsafe(bytes.length)
    if ((await readAll(local, mine, bytes.length, at)) !== bytes.length || !mine.equals(bytes)) return false
    at += bytes.length
  }
  return at === size
}

/** Reads until the piece is full or the file ends; returns the bytes read. */
async function readAll(handle: FileHandle, piece: Buffer, wanted: number, at: number): Promise<number> {
  let read = 0
  while (read < wanted) {
    const { bytesRead } = await handle.read(piece, read, wanted - read, at + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return read
}

const pieceBytes = 1024 * 1024
