import { quotedMessages } from '@fellowship/schema/testing/quoted-messages'
import { describe, expect, test } from 'vitest'
import { isTest, readSourceTree, textsOf } from './source-tree.ts'

const tree = readSourceTree()
const rows = Object.entries(quotedMessages).flatMap(([file, said]) =>
  said.map(([kind, text]) => [kind, text, file] as const),
)
const schemaTexts = new Map(
  [...tree]
    .filter(([file]) => file.startsWith('packages/schema/src/') && !isTest(file))
    .map(([file, source]) => [file.replace('packages/schema/src/', ''), textsOf(file, source)]),
)

describe('every message is defined in exactly one place', () => {
  test.each(rows)('%s %j', (_kind, text, file) => {
    expect(schemaTexts.get(file)?.filter((said) => said === text)).toEqual([text])
    const elsewhere = [...schemaTexts]
      .filter(([other, said]) => other.endsWith('.texts.ts') && said.includes(text))
      .map(([other]) => other)
    expect(elsewhere.filter((other) => !rows.some(([, t, f]) => t === text && f === other))).toEqual([])
  })
})

test('no screen or handler repeats a message literally', () => {
  // A message of one or two words can also be a label: 'Error', 'Required'.
  const sentences = new Set(rows.map(([, text]) => text).filter((text) => text.split(' ').length > 2))
  const inline = [...tree]
    .filter(([file]) => /^(?:sync|api|web)\//.test(file) && !isTest(file))
    .flatMap(([file, source]) => textsOf(file, source).map((text) => [file, text] as const))
    .filter(([, text]) => sentences.has(text))
    .map(([file, text]) => `${file}: ${text}`)
  expect(inline).toEqual([])
})

describe('what counts as a text', () => {
  test('finds literals, templates and JSX text', () => {
    const source = `
      import './not-a-text.ts'
      export const a = 'one', b = "two's"
      const c = (n: number) => \`three \${n} four\`
      const d = <p title="five">  six
        seven </p>
      // 'eight'
    `
    expect(textsOf('x.tsx', source).filter((text) => text !== '')).toEqual([
      'one',
      "two's",
      'three … four',
      'five',
      'six seven',
    ])
  })
})
