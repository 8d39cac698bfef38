import { auditActions } from '@fellowship/schema/audit/audit.texts'
import { expect, test } from 'vitest'
import { isTest, readSourceTree, textsOf } from './source-tree.ts'

test('every audited action has a phrase', () => {
  const areas = [...new Set(Object.keys(auditActions).map((action) => action.split('.')[0]))].join('|')
  const actionLike = new RegExp(`^(?:${areas})\\.[a-z_]+$`)
  const written = [...readSourceTree()]
    .filter(([file]) => file.startsWith('api/src/features/') && !isTest(file))
    .flatMap(([file, source]) => textsOf(file, source))
    .filter((text) => actionLike.test(text))
  expect([...new Set(written)].toSorted()).toEqual(Object.keys(auditActions).toSorted())
})
