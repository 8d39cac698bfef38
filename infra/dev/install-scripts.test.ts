import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(root, name), 'utf8'))

// From version 12 npm runs no install script that the root's package.json does not allow, and goes on with a warning: ssh2 would
// be without its native part (docs.npmjs.com, package.json, allowScripts).
test('only listed packages may run install scripts', () => {
  const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> }
  const { packages } = read('package-lock.json') as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => place.replace(/^.*node_modules\//, ''))
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(withScript)].toSorted())
  expect(Object.values(allowScripts)).not.toContain(false)
})
