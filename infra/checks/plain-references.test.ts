import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTest, namesImportedFrom, readSourceTree, root, skippedFolders } from './source-tree.ts'

/** Pages outside the repository: a comment names the rule itself instead. */
const foreignPages = /\b(?:SPEC|FACTS|DESIGN|HOUSE)\b|\b(?:SYNC|SPEED|STYLE)\.md\b|§/

/** Applied migrations are compared by checksum and cannot change; this file lists the forbidden names. */
const exempt = [/^api\/migrations\/000\d_/, /^infra\/checks\/plain-references\.test\.ts$/]

const isText = (file: string) =>
  /(?:\.(?:ts|tsx|mts|mjs|js|css|html|md|sql|lua|yml|json|example)|\.ci\/run)$/.test(file) &&
  !file.endsWith('package-lock.json')

describe('references', () => {
  test('no file refers to a page outside the repository', () => {
    const files = filesBelow('').filter((file) => isText(file) && !exempt.some((own) => own.test(file)))
    expect(files.length).toBeGreaterThan(500)
    const found = files.flatMap((file) => referencesIn(file, readFileSync(path.join(root, file), 'utf8')))
    expect(found).toEqual([])
  })

  test.each([
    ['// SPEC 8: the toast', 1],
    ['# as DESIGN.md says', 1],
    ['a § sign', 1],
    ['see SYNC.md', 1],
    ['SYNC_SEED=17, specification, design', 0],
  ])('%j has %i', (line, count) => {
    expect(referencesIn('a.ts', line)).toHaveLength(count)
  })
})

describe('test functions', () => {
  test('tests are declared with test, not its alias', () => {
    const found = [...readSourceTree()]
      .filter(([file]) => isTest(file))
      .filter(([file, source]) => namesImportedFrom(file, source, 'vitest').includes('it'))
      .map(([file]) => file)
    expect(found).toEqual([])
  })

  test('finds imported names, also renamed ones', () => {
    const source = `import { describe, it as each } from 'vitest'; import { test } from './own.ts'`
    expect(namesImportedFrom('a.ts', source, 'vitest')).toEqual(['describe', 'it'])
  })
})

function referencesIn(file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      foreignPages.test(line) ? [`${file}:${at + 1}: ${line.trim().slice(0, 100)}`] : [],
    )
}

/** Paths of all files below a folder, without installed and built ones. */
function filesBelow(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (!entry.isDirectory()) return [file]
    const isHidden = entry.name.startsWith('.') && !['.ci', '.github'].includes(entry.name)
    return skippedFolders.has(entry.name) || isHidden ? [] : filesBelow(file)
  })
}
