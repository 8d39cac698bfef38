import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-tree.ts'

const folder = path.join(root, 'infra/decisions')

test('each decision has a unique number in its heading', () => {
  const pages = readdirSync(folder).filter((name) => /^\d{4}-/.test(name))
  const numbers = pages.map((name) => Number(name.slice(0, 4)))
  const headings = pages.map((name) => {
    const [, number] = /^# (\d+)\. /.exec(readFileSync(path.join(folder, name), 'utf8')) ?? []
    return Number(number)
  })
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([])
  expect(headings).toEqual(numbers)
})

test('no decision page exceeds 60 lines', () => {
  const lengths = readdirSync(folder)
    .filter((name) => /^\d{4}-/.test(name))
    .map((name) => ({
      name,
      lines: readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n').length,
    }))
  expect(lengths.filter(({ lines }) => lines > 60)).toEqual([])
})
