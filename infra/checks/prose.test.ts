import { describe, expect, test } from 'vitest'
import { isTest, readSourceTree } from './source-tree.ts'
import { commentsOf, countWords, isFragment, testNamesOf, wordsIn } from './prose.ts'

const tree = [...readSourceTree()]
const workspaces = ['packages/', 'sync/', 'api/', 'web/', 'infra/']
const filesOf = (workspace: string) => tree.filter(([file]) => file.startsWith(workspace))

/** Symbols and their plain terms: the first of each pair belongs to no file. */
const replacedNames = [
  ['workshopIdOf', 'nodeId'],
  ['bringHere', 'takeOverUpload'],
  ['assertHere', 'assertOwned'],
  ['noteWanted', 'recordTakeoverRequest'],
  ['beginVisit', 'startSession'],
  ['inVisit', 'ifSessionCurrent'],
  ['readVisitor', 'lastSignedInUser'],
  ['adoptNobodys', 'claimAnonymous'],
  ['KeepingStanding', 'ListeningStatus'],
  ['keepTold', 'renewSubscription'],
  ['untoldNews', 'pendingNotifications'],
  ['leadAlone', 'withoutLeaderLock'],
  ['SavedFace', 'SaveButtonState'],
  ['LedOn', 'RedirectToTeaching'],
  ['with_', 'round'],
] as const

describe('prose of comments', () => {
  test('counts words per thousand, without quoted code', () => {
    const source = ['/** Retries if `where` fails. */', 'const a = "if" // when it is late', ''].join('\n')
    const comments = commentsOf('a.ts', source)
    expect(comments.map(({ line }) => line)).toEqual([1, 2])
    expect(countWords(comments.map(({ text }) => text))).toEqual({
      words: 8,
      conditions: 250,
      where: 0,
      what: 0,
    })
  })

  test.each(workspaces)('%s states conditions with if and when', (workspace) => {
    const comments = filesOf(workspace).flatMap(([file, source]) => commentsOf(file, source))
    const { conditions, where, what } = countWords(comments.map(({ text }) => text))
    expect(conditions).toBeGreaterThanOrEqual(6)
    expect(where).toBeLessThanOrEqual(1.5)
    expect(what).toBeLessThanOrEqual(1)
  })

  test('refuses to count without a comment', () => {
    expect(() => countWords([])).toThrow('no comments')
  })
})

test('replaced symbols stay absent', () => {
  const found = tree
    .filter(([file]) => !file.endsWith('prose.test.ts') && !file.includes('/fixtures/'))
    .flatMap(([file, source]) =>
      replacedNames
        .filter(([name]) => new RegExp(String.raw`\b${name}\b`).test(source))
        .map(([name, term]) => `${file}: ${name}, say ${term}`),
    )
  expect(found).toEqual([])
})

describe('test names', () => {
  test.each(workspaces)('names in %s are short sentences', (workspace) => {
    const names = filesOf(workspace)
      .filter(([file]) => isTest(file))
      .flatMap(([file, source]) => testNamesOf(file, source).map(({ name }) => name))
    const lengths = names.map(wordsIn).sort((a, b) => a - b)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(8)
    expect(names.filter(isFragment)).toEqual([])
  })

  test('finds names of plain, tabled and conditional tests', () => {
    const source = [
      `test('rejects one', () => {})`,
      'test.each(rows)(`rejects ${kind} files`, () => {})',
      `test.skipIf(!tool)('reads %s', () => {})`,
      `it.todo('is ignored')`,
      `expect('nothing')`,
    ].join('\n')
    expect(testNamesOf('a.test.ts', source)).toEqual([
      { line: 1, name: 'rejects one' },
      { line: 2, name: 'rejects … files' },
      { line: 3, name: 'reads %s' },
    ])
    expect(testNamesOf('a.ts', source)).toEqual([])
  })

  test.each(['…ends at once', 'of another person', 'If it fails, it retries', 'with two tabs'])(
    '%j is a fragment',
    (name) => expect(isFragment(name)).toBe(true),
  )

  test.each(['ignores a late answer', 'ending twice is a no-op', 'Ofsted files'])(
    '%j is a sentence',
    (name) => expect(isFragment(name)).toBe(false),
  )

  test('counts words, a placeholder as one', () => {
    expect(wordsIn('rejects  %s of … files')).toBe(5)
  })
})
