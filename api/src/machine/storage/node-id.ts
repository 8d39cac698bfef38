import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Names a data folder among those of the processes that share a database: unfinished uploads and the Inbox are in one of
 * them. Made at the first start and kept in the file `workshop`.
 */
export function nodeId(dataDir: string): string {
  const file = path.join(dataDir, 'workshop')
  const kept = idIn(file)
  if (kept !== undefined) return kept
  const aside = `${file}.${randomUUID()}`
  writeFileSync(aside, `${randomUUID()}\n`, { mode: 0o644, flush: true })
  try {
    // A link, not a rename: of two processes that start at once, the first one's file is used.
    linkSync(aside, file)
    rmSync(aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const known = idIn(file)
    if (known === undefined) renameSync(aside, file)
    else rmSync(aside)
  }
  return idIn(file)!
}

/** Undefined where there is no such file, or a power cut left it empty. */
function idIn(file: string): string | undefined {
  try {
    return /^[0-9a-f-]{36}$/.exec(readFileSync(file, 'utf8').trim())?.[0]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
