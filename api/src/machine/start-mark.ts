import { randomUUID } from 'node:crypto'
import { open, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'

const fileIn = (dataDir: string) => path.join(dataDir, 'last-start')

/**
 * Replaces the file that marks the last start, and returns its identity. A copy of the folder, also one that is put
 * back with all dates, differs: the system sets the time of a file's last change (ctime), and its number, itself.
 */
export async function markStart(dataDir: string): Promise<string> {
  const file = fileIn(dataDir)
  const aside = `${file}.new`
  const handle = await open(aside, 'w')
  try {
    await handle.writeFile(`${randomUUID()}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(aside, file)
  return (await startMark(dataDir))!
}

/** The identity of the file of the last start; null if there is none. */
export async function startMark(dataDir: string): Promise<string | null> {
  try {
    const text = (await readFile(fileIn(dataDir), 'utf8')).trim()
    const { ino, ctimeNs } = await stat(fileIn(dataDir), { bigint: true })
    return `${text} ${ino} ${ctimeNs}`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
