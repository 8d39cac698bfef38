import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-tree.ts'

const folder = path.join(root, 'api/migrations')

/** Changes that break the previous release: it names a removed column or table, or omits a required one. */
const breaking: readonly [name: string, pattern: RegExp][] = [
  ['removes a table or a column', /\bdrop\s+(table|column)\b/],
  ['renames', /\brename\b/],
  ['changes a type', /\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b/],
  ['demands a value', /\balter\s+column\s+\w+\s+set\s+not\s+null\b/],
  [
    'demands a value of a new column',
    /\badd\s+column\s+(?:(?!,|;|default).)*\bnot\s+null(?:(?!,|;|default).)*(,|;)/,
  ],
]

const faultsOf = (sql: string) => {
  const text = sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').toLowerCase()
  return breaking.filter(([, pattern]) => pattern.test(text)).map(([name]) => name)
}

/** The first one that was written for several processes, which are updated one after the other. */
const first = '0021'

test('migrations leave a database usable by the previous release', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql') && name >= first)
  expect(names.length).toBeGreaterThan(0)
  const found = names.map((name) => [name, faultsOf(readFileSync(path.join(folder, name), 'utf8'))])
  expect(found.filter(([, faults]) => faults!.length > 0)).toEqual([])
})

test.each([
  ['alter table a drop column b;', 'removes a table or a column'],
  ['drop table a;', 'removes a table or a column'],
  ['alter table a rename column b to c;', 'renames'],
  ['alter table a alter column b type bigint;', 'changes a type'],
  ['alter table a\n  alter column b set not null;', 'demands a value'],
  ['alter table a add column b integer not null;', 'demands a value of a new column'],
])('%s is refused', (sql, fault) => {
  expect(faultsOf(sql)).toEqual([fault])
})

test('new tables, defaults and replaced constraints are accepted', () => {
  const sql = `-- drop table a, rename
    create table b (c integer not null);
    alter table a add column d integer not null default 0, add column e text;
    alter table a drop constraint f;`
  expect(faultsOf(sql)).toEqual([])
})
