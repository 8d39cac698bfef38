import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'

/**
 * Reads a small file that only its owner may read (mode 0600); undefined where there is none.
 *
 * @throws Error with a sentence where it cannot be read
 */
export async function readSecretFile(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    // Copying or unpacking may have widened the mode.
    if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
    return text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read (${code}). Give its owner back the right to read it.`, {
      cause: error,
    })
  }
}

/** The file's text; where there is none, it is created, once even with concurrent callers. */
export async function readOrCreateSecret(file: string, make: () => string): Promise<string> {
  const kept = await readSecretFile(file)
  if (kept !== undefined) return kept
  const aside = await writeAside(file, make())
  try {
    // A link, not a rename: of two processes that start at once, the first one's file is used.
    await link(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(aside)
  }
  return (await readSecretFile(file))!
}

/** A text written next to the file it will replace, so that replacing it is a mere rename. */
export interface StagedText {
  take(): Promise<void>
  /** Does nothing once it has replaced the file. */
  discard(): Promise<void>
}

/** Writes the text that is to replace the file. */
export async function stageSecretFile(file: string, text: string): Promise<StagedText> {
  const aside = await writeAside(file, text)
  let isTaken = false
  return {
    async take() {
      await rename(aside, file)
      isTaken = true
    },
    async discard() {
      if (!isTaken) await unlink(aside)
    },
  }
}

async function writeAside(file: string, text: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true })
  const aside = `${file}.${randomUUID()}`
  const handle = await open(aside, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return aside
}
