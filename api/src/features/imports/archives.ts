import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { absentAsUndefined, linkOrCopy, syncPath } from '../../machine/storage/durable-files.ts'
import { importsIn, type ImportRow } from './imports.sql.ts'

type Place = Pick<Context, 'config'>

const folderOf = ({ config }: Place) => path.join(config.dataDir, 'imports')

/** The file or folder of an import that is read from the disk of this machine. */
export const placeOf = (
  context: Place,
  { id, kind, source }: Pick<ImportRow, 'id' | 'kind' | 'source'>,
): string => (kind === 'archive' ? path.join(folderOf(context), `${id}.zip`) : source)

/** Keeps an uploaded ZIP archive until its import is over. */
export async function keepArchive(context: Place, file: string, id: string): Promise<void> {
  const folder = folderOf(context)
  await mkdir(folder, { recursive: true })
  await linkOrCopy(file, placeOf(context, { id, kind: 'archive', source: '' }))
  await syncPath(folder)
}

export const dropArchive = (context: Place, id: string): Promise<void> =>
  rm(placeOf(context, { id, kind: 'archive', source: '' }), { force: true })

/** Ids of the imports whose archives are on this machine. */
export async function archivesHere(context: Place): Promise<string[]> {
  const names = (await absentAsUndefined(readdir(folderOf(context)))) ?? []
  return names.flatMap((name) => (name.endsWith('.zip') ? [name.slice(0, -'.zip'.length)] : []))
}

/** Removes archives whose import is over, or was never written. */
export async function sweepArchives(context: Place & Pick<Context, 'sql' | 'clock'>): Promise<void> {
  const ids = await archivesHere(context)
  if (ids.length === 0) return
  const wanted = new Set(
    (await importsIn(context.sql, ['reading', 'ready', 'importing', 'paused'])).map(({ id }) => id),
  )
  for (const id of ids) {
    if (wanted.has(id)) continue
    // Its import may be written in a moment.
    const facts = await absentAsUndefined(stat(placeOf(context, { id, kind: 'archive', source: '' })))
    const age = context.clock.now().getTime() - (facts?.ctimeMs ?? 0)
    if (age > 60_000) await dropArchive(context, id)
  }
}

/** Whether a file begins as a ZIP archive does. */
export async function isArchive(file: string): Promise<boolean> {
  await using handle = await open(file, 'r')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  return bytesRead === 4 && (buffer.readUInt32LE() === 0x04034b50 || buffer.readUInt32LE() === 0x06054b50)
}
