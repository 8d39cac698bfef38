import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'

const keptMs = 30 * 24 * 60 * 60_000

/**
 * Keeps the assets of the releases before, for open pages and installed apps that still ask for them, in a folder that an
 * update does not replace. An asset is removed 30 days after the first start without it.
 *
 * @param assets those of this build
 * @param kept the folder, made if needed
 */
export async function keepAssets(assets: string, kept: string, now = Date.now()): Promise<void> {
  await mkdir(kept, { recursive: true })
  const current = await readdir(assets).catch(() => [])
  // A build without assets is no build; nothing is learned from it.
  if (current.length === 0) return
  const before = await namesIn(path.join(kept, list))
  const known = new Set(current)
  for (const name of before) {
    // Its days count from now, not from when it was built.
    if (!known.has(name)) await utimes(path.join(kept, name), now / 1000, now / 1000).catch(() => undefined)
  }
  const present = new Set(await readdir(kept))
  for (const name of current) {
    if (!present.has(name))
      await aside(path.join(kept, name), (file) => copyFile(path.join(assets, name), file))
  }
  for (const name of present) {
    if (known.has(name) || name === list) continue
    const file = path.join(kept, name)
    if ((await stat(file)).mtimeMs < now - keptMs) await rm(file, { force: true })
  }
  await aside(path.join(kept, list), (file) => writeFile(file, JSON.stringify(current)))
}

/** Names of the build that ran last. */
const list = 'current.json'

async function namesIn(file: string): Promise<string[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as string[]
  } catch {
    return []
  }
}

async function aside(file: string, write: (to: string) => Promise<void>): Promise<void> {
  await write(`${file}.part`)
  await rename(`${file}.part`, file)
}
