import { readFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * The folders below `root` of these packages and of all they depend on, as far as they are installed: optional ones are
 * those of this platform.
 *
 * @throws Error if a needed one is missing
 */
export async function packageFolders(root: string, names: readonly string[]): Promise<string[]> {
  const found = new Map<string, true>()
  const wanted = names.map((name) => ({ name, from: '', optional: false }))
  for (const { name, from, optional } of wanted) {
    const place = await findPackage(root, name, from)
    if (place === undefined) {
      if (optional) continue
      throw new Error(`${name} is not installed, which ${from || 'the release'} needs.`)
    }
    if (found.has(place)) continue
    found.set(place, true)
    const { dependencies = {}, optionalDependencies = {} } = await manifestOf(root, place)
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) {
      wanted.push({ name: next, from: place, optional: next in optionalDependencies })
    }
  }
  return [...found.keys()].sort()
}

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const manifestOf = async (root: string, place: string) =>
  JSON.parse(await readFile(path.join(root, place, 'package.json'), 'utf8')) as Manifest

/** Node's resolution: the parent's own folder, then upwards. */
async function findPackage(root: string, name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const isThere = await manifestOf(root, place).then(
      () => true,
      () => false,
    )
    if (isThere) return place
    if (folder === '') return undefined
  }
}
