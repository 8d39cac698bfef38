/**
 * Counts the English of comments and test names. `npx tsx infra/checks/prose.ts [PATH …]` prints the figures of these paths
 * (without one, of every workspace) and each line that counts against them.
 */
import { parseSync } from 'vite'
import { callNamesOf, isTest, readSourceTree } from './source-tree.ts'

/** Words per 1,000 words of comments. */
export interface ProseFigures {
  words: number
  conditions: number
  where: number
  what: number
}

/** Words that begin the name of a test which only continues its `describe`. */
const continuing =
  /^(?:…|\.\.\.|(?:about|after|among|and|as|at|because|before|behind|beside|besides|but|by|during|for|from|if|in|inside|into|nor|of|on|or|outside|over|since|so|than|that|then|though|through|till|to|too|under|unless|until|upon|when|where|which|while|who|whose|with|within|without)\b)/i

/** The comments of a source file, each with the line on which it begins. */
export function commentsOf(file: string, source: string): { line: number; text: string }[] {
  return parseSync(file, source).comments.map(({ value, start }) => ({
    line: source.slice(0, start).split('\n').length,
    text: value.replaceAll(/^\s*\*+/gm, ' ').replaceAll(/`[^`]*`/g, 'code'),
  }))
}

const matches = (text: string, words: RegExp) => text.match(words)?.length ?? 0

/** Counts words in comments. Throws if there are none. */
export function countWords(comments: readonly string[]): ProseFigures {
  const text = comments.join('\n')
  const words = matches(text, /[\p{L}\p{N}’']+/gu)
  if (words === 0) throw new Error('There are no comments to count.')
  const perThousand = (pattern: RegExp) => Math.round((matches(text, pattern) / words) * 10_000) / 10
  return {
    words,
    conditions: perThousand(/\b(?:if|when)\b/gi),
    where: perThousand(/\bwhere\b/gi),
    what: perThousand(/\bwhat\b/gi),
  }
}

/** A test name that continues its `describe` instead of being a sentence. */
export const isFragment = (name: string): boolean => continuing.test(name)

/** The number of words of a test name; a placeholder such as %s counts as one. */
export const wordsIn = (name: string): number => name.split(/\s+/).filter((word) => word !== '').length

/** The names of the tests of a file, with their lines; a placeholder of a template is '…'. */
export const testNamesOf = (file: string, source: string): { line: number; name: string }[] =>
  isTest(file) ? ['test', 'nightly'].flatMap((name) => callNamesOf(file, source, name)) : []

function printFigures(paths: readonly string[]): void {
  const files = [...readSourceTree()].filter(([file]) => paths.some((path) => file.startsWith(path)))
  const comments = files.flatMap(([file, source]) =>
    commentsOf(file, source).map((comment) => ({ file, ...comment })),
  )
  const names = files.flatMap(([file, source]) =>
    testNamesOf(file, source).map((name) => ({ file, ...name })),
  )
  for (const { file, line, text } of comments)
    for (const found of text.split('\n').filter((row) => /\b(?:where|what)\b/i.test(row)))
      console.log(`${file}:${line}: ${found.trim()}`)
  for (const { file, line, name } of names)
    if (isFragment(name) || wordsIn(name) > 10)
      console.log(`${file}:${line}: ${isFragment(name) ? 'fragment' : `${wordsIn(name)} words`}: ${name}`)
  console.log(paths.join(' '), countWords(comments.map(({ text }) => text)))
  const lengths = names.map(({ name }) => wordsIn(name)).sort((a, b) => a - b)
  console.log(
    `${names.length} test names, median ${lengths[lengths.length >> 1] ?? 0} words,`,
    `${names.filter(({ name }) => isFragment(name)).length} fragments`,
  )
}

if (process.argv[1]?.endsWith('prose.ts')) {
  const paths = process.argv.slice(2)
  printFigures(paths.length > 0 ? paths : ['packages/', 'sync/', 'api/', 'web/', 'infra/'])
}
