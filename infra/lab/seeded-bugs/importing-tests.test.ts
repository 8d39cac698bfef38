import { expect, test } from 'vitest'
import { importingTests } from './importing-tests.ts'

test('finds the tests of other folders that import a file', () => {
  const found = importingTests('sync/src/client/replica/apply-page.ts')
  expect(found).toContain('sync/src/client/whats-new/whats-new.store.test.ts')
  expect(found).not.toContain('sync/src/client/replica/apply-page.test.ts')
})

test('leaves out a file that most tests stand on', () => {
  expect(importingTests('sync/src/client/database/app-database.ts')).toEqual([])
})
