import { describe, expect, test } from 'vitest'
import { fileNames, judgedOn } from '../testing/file-names.ts'
import { parseFilename } from './parse-filename.ts'

test('the table has at least 400 different names', () => {
  expect(new Set(fileNames.map(({ name }) => name)).size).toBeGreaterThanOrEqual(400)
})

describe.each([...new Set(fileNames.map(({ kind }) => kind))])('%s', (kind) => {
  test.each(fileNames.filter((row) => row.kind === kind).map(({ name, published }) => ({ name, published })))(
    '$name',
    ({ name, published }) => {
      const { date, speaker, title, scriptureReference, isValid, errors } = parseFilename(name, judgedOn)
      const read = isValid ? [date, speaker, title, scriptureReference] : undefined
      expect(read, errors.join(' ')).toEqual(published)
    },
  )
})
