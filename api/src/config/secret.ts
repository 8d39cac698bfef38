import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from './config.ts'

/**
 * The application's secret: APP_SECRET, else the one kept in the data folder (mode 0600), made at first start.
 *
 * @throws Error with a sentence where the kept one cannot be used
 */
export async function loadSecret({ secret, dataDir }: Pick<Config, 'secret' | 'dataDir'>): Promise<string> {
  if (secret !== undefined) return secret
  const file = path.join(dataDir, 'app-secret')
  return (await readKept(file)) ?? (await makeKept(file))
}

async function readKept(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(
      `The secret in ${file} cannot be read (${error.code}). Give its owner back the right to read it.`,
    )
  })
  if (text === undefined) return undefined
  if (text.trim().length < 32) {
    throw new Error(
      `${file} holds no usable secret. Put it back from a backup, or delete the file to have a new one made.`,
    )
  }
  // A copy or an unpacked archive may have widened the mode.
  if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
  return text.trim()
}

async function makeKept(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true })
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(aside, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    // A link, not a rename: of two processes that start at once the first one's secret stays.
    await link(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(aside)
  }
  return (await readKept(file))!
}
