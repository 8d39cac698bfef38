import { createHash, randomUUID } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { backupLimits } from '@fellowship/schema/backup/backup.limits'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { megabytes } from '@fellowship/schema/counted'
import { Problem } from '@fellowship/schema/problem'
import type { Transaction } from '../../db/connection.ts'
import type { OpenBlob } from '../../machine/storage/blob-store.ts'
import { writeAll } from '../../machine/storage/durable-files.ts'
import type { ZipEntry } from '../../machine/zip/zip.ts'
import { backedUpTables, rowsOf } from './backup.sql.ts'
import { healer } from './healed-rows.ts'
import type { DumpRow } from './manifest.ts'
import { columnsOf, type Column } from './restore.sql.ts'
import { faultOf, rowFault } from './validate-rows.ts'

/** database.json of a planned backup: in memory if it is small, else in a file without a name. */
export interface DatabaseDump extends Pick<ZipEntry, 'bytes' | 'crc32' | 'source'> {
  readonly sha256: string
  /** A row that a restore would refuse, with the reason. */
  readonly refused: string | undefined
  /** Frees the file once no download reads it. Later downloads fail. */
  release(): Promise<void>
}

/**
 * Writes {"format":1,"tables":{"users":[…],…}}, each row in PostgreSQL's own JSON on a line of its own, in constant memory.
 *
 * @param folder for the file
 * @param most bytes that a restore accepts
 * @throws Problem `backup_too_large` if a restore would refuse it, naming the largest table
 */
export async function dumpDatabase(
  tx: Transaction,
  folder: string,
  { copies, most }: { copies: boolean; most: number },
): Promise<DatabaseDump> {
  const out = spool(folder)
  const sizes = new Map<string, number>()
  let refused: string | undefined
  try {
    await out.write('{"format":1,"tables":{')
    const names = await backedUpTables(tx, { copies })
    const columns = await columnsOf(tx, names)
    for (const [at, table] of names.entries()) {
      const own = columns.filter((column) => column.table === table)
      await out.write(`${at === 0 ? '' : ','}\n${JSON.stringify(table)}:[`)
      const start = out.bytes()
      let separator = '\n'
      for await (const rows of rowsOf(tx, table)) {
        await out.write(separator + rows.join(',\n'))
        separator = ',\n'
        refused ??= firstRefused(table, own, rows)
        sizes.set(table, out.bytes() - start)
        if (out.bytes() > most || rows.some(isTooLong)) throw tooLarge(sizes, most)
      }
      await out.write(']')
    }
    await out.write('}}\n')
    return { ...out.end(), refused }
  } catch (error) {
    await out.discard()
    throw error
  }
}

const isTooLong = (row: string) =>
  row.length * 3 > backupLimits.rowBytes && Buffer.byteLength(row) > backupLimits.rowBytes

/** As a restore judges them: values that it heals are no fault. */
const heal = healer({ createdAt: new Date().toISOString(), files: [] })

function firstRefused(
  table: string,
  columns: readonly Column[],
  rows: readonly string[],
): string | undefined {
  for (const text of rows) {
    const row = heal(columns, JSON.parse(text) as DumpRow)
    const fault = rowFault(table, columns, row)
    if (fault !== undefined) return faultOf(table, row, fault)
  }
  return undefined
}

function tooLarge(sizes: ReadonlyMap<string, number>, most: number): Problem {
  const [[table, bytes] = ['', 0]] = [...sizes].toSorted(([, a], [, b]) => b - a)
  return new Problem(
    'backup_too_large',
    backupTexts.databaseTooLarge(megabytes(most), table, megabytes(bytes)),
  )
}

/** Up to this size in bytes it stays in memory. */
const mostInMemory = 4 * 1024 * 1024

function spool(folder: string) {
  const hash = createHash('sha256')
  let sum = 0
  let bytes = 0
  let chunks: Buffer[] = []
  let file: FileHandle | undefined
  return {
    bytes: () => bytes,
    async write(text: string): Promise<void> {
      const chunk = Buffer.from(text)
      hash.update(chunk)
      sum = crc32(chunk, sum)
      bytes += chunk.length
      chunks.push(chunk)
      if (!file && bytes <= mostInMemory) return
      file ??= await openNameless(folder)
      await writeAll(file, chunks)
      chunks = []
    },
    end(): Omit<DatabaseDump, 'refused'> {
      const about = { bytes, crc32: sum, sha256: hash.digest('hex') }
      if (!file) return { ...about, source: { content: Buffer.concat(chunks) }, release: async () => {} }
      return { ...about, ...shared(file, bytes) }
    },
    async discard(): Promise<void> {
      await file?.close()
    },
  }
}

/** Removed at once, so that it ends with its handle, also after a crash. It holds password hashes: readable by its owner only. */
async function openNameless(folder: string): Promise<FileHandle> {
  const name = path.join(folder, `.database-${randomUUID()}.part`)
  const file = await open(name, 'wx+', 0o600)
  await rm(name)
  return file
}

/** The file for any number of readers, closed after the last one when it is released. */
function shared(handle: FileHandle, bytes: number) {
  let readers = 0
  let isReleased = false
  const closeIfUnused = async () => {
    if (isReleased && readers === 0) await handle.close()
  }
  const leave = async () => {
    readers -= 1
    await closeIfUnused()
  }
  const opened = (): OpenBlob => {
    readers += 1
    const now = new Date()
    return {
      name: 'database.json',
      bytes,
      modifiedAt: now,
      placedAt: now,
      version: '',
      handle,
      read: async (start, end) => handle.createReadStream({ start, end, autoClose: false }),
      close: leave,
      [Symbol.asyncDispose]: leave,
    }
  }
  return {
    source: { open: async () => (isReleased ? undefined : opened()) },
    async release(): Promise<void> {
      if (isReleased) return
      isReleased = true
      await closeIfUnused()
    },
  }
}
