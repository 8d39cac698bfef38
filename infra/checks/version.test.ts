import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8')

test('package.json has the newest version of the changelog', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const headings = [...read('CHANGELOG.md').matchAll(/^## \[([^\]]+)\](.*)$/gm)].filter(
    ([, name]) => name !== 'Unreleased',
  )
  expect(headings[0]?.[1]).toBe(version)
  for (const [, , date] of headings) expect(date).toMatch(/^ - \d{4}-\d{2}-\d{2}$/)
})
