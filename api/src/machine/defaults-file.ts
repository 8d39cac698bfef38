import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Reads a JSON file with the values of a new site, which is beside the migrations in the sources and in a release.
 *
 * @param name such as 'site.defaults.json'
 */
export function readDefaults(name: string): unknown {
  const file = [`../../${name}`, `../${name}`]
    .map((relative) => path.join(import.meta.dirname, relative))
    .find((found) => existsSync(found))
  if (file === undefined) throw new Error(`The file api/${name} is missing from this installation.`)
  return JSON.parse(readFileSync(file, 'utf8')) as unknown
}
