import { auditActions } from '@fellowship/schema/audit/audit.texts'
import { expect, test } from 'vitest'
import { isTest, readSourceTree, textsOf } from './source-tree.ts'

test('every audited action has a phrase', () => {
  const areas = [...new Set(Object.keys(auditActions).map((action) => action.split('.')[0]))].join('|')
  const actionLike = new RegExp(`^(?:${areas})\\.[a-z_]+$`)
  const sources = [...readSourceTree()].filter(
    ([file]) => file.startsWith('api/src/features/') && !isTest(file),
  )
  const written = sources
    .flatMap(([file, source]) => textsOf(file, source))
    .filter((text) => actionLike.test(text))
  // WrittenRows makes its actions of the kind.
  const derived = sources
    .flatMap(([, source]) => /new WrittenRows<[^>]+>\(\{\s+kind: '(\w+)'/.exec(source)?.[1] ?? [])
    .flatMap((kind) => ['created', 'deleted', 'restored', 'updated'].map((action) => `${kind}.${action}`))
  expect([...new Set([...written, ...derived])].toSorted()).toEqual(Object.keys(auditActions).toSorted())
})
