import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { manifest, type DumpRow, type Manifest } from '../features/backup/manifest.ts'
import { openArchive } from '../machine/zip/unzip.ts'
import { zipLayout } from '../machine/zip/zip.ts'
import type { TestClient } from './test-client.ts'

export type Tables = Record<string, DumpRow[]>

/** The parts of a backup that a test may change in place. */
interface Parts {
  tables: Tables
  about: Manifest
  /** Contents by name, without database.json. */
  contents: Map<string, Buffer>
}

/** Downloads a backup as an administrator does, and returns its path. */
export async function savedBackup(admin: TestClient, file: string): Promise<string> {
  const answer = await admin.fetch(`${admin.base}${backup.createManual.path}`)
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  await writeFile(file, Buffer.from(await answer.arrayBuffer()))
  return file
}

/** Writes a copy of a backup with changes by hand and correct checksums, and returns its path. */
export async function changedBackup(
  from: string,
  to: string,
  change: (parts: Parts) => void,
): Promise<string> {
  const archive = await openArchive(from)
  const read = async (name: string) => archive.read(name, 1e8)
  const { tables } = JSON.parse((await read('database.json')).toString()) as { tables: Tables }
  const about = manifest.parse(JSON.parse((await read('manifest.json')).toString()))
  const contents = new Map<string, Buffer>()
  for (const { name } of about.files) if (name !== 'database.json') contents.set(name, await read(name))
  archive.close()
  change({ tables, about, contents })
  contents.set('database.json', Buffer.from(JSON.stringify({ format: 1, tables })))
  const files = about.files.map((file) => {
    const content = contents.get(file.name)!
    return { ...file, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
  })
  const first = Buffer.from(JSON.stringify({ ...about, files }))
  const { parts } = zipLayout(
    [['manifest.json', first] as const, ...contents].map(([name, content]) => ({
      name,
      bytes: content.length,
      crc32: crc32(content),
      modified: new Date(),
      source: { content },
    })),
  )
  const bytes = parts.map(({ source }) => ('content' in source ? source.content : Buffer.alloc(0)))
  await writeFile(to, Buffer.concat(bytes))
  return to
}
