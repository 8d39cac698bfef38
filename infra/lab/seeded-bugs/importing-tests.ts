import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')
/** A file that more tests import is one that they stand on, such as a database, and not their subject. */
const most = 12

/** The test files in other folders that import a source file themselves, named from the root; none if they are many. */
export function importingTests(file: string): string[] {
  const folder = `${path.posix.dirname(file)}/`
  const found = tests().filter(({ name, imports }) => !name.startsWith(folder) && imports.has(file))
  return found.length > most ? [] : found.map(({ name }) => name)
}

interface TestFile {
  name: string
  imports: ReadonlySet<string>
}

let known: TestFile[] | undefined
const tests = (): TestFile[] =>
  (known ??= ['sync/src', 'web/src'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.tsx?$/.test(name) && !name.endsWith('.pg.test.ts'))
      .map((name) => path.posix.join(folder, name))
      .map((name) => ({ name, imports: importsOf(name, readFileSync(path.join(root, name), 'utf8')) })),
  ))

function importsOf(file: string, source: string): ReadonlySet<string> {
  const from = [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name!)
  return new Set(
    from.map((name) =>
      name.startsWith('.')
        ? path.posix.join(path.posix.dirname(file), name)
        : `${name.replace('@fellowship/sync', 'sync/src')}.ts`,
    ),
  )
}
