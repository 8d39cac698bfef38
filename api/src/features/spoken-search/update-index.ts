import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import {
  decodeWords,
  distinctWords,
  eachNumber,
  encodeText,
  encodeWords,
  wordsToLearn,
} from '@fellowship/schema/spoken-search/spoken-words'
import type { Context } from '../../context.ts'
import { inTransaction, type Database } from '../../db/connection.ts'
import {
  addPiece,
  allIndexedWords,
  isBehind,
  putWords,
  readDictionary,
  removeStale,
  textsToIndex,
  type StoredWords,
} from './spoken-search.sql.ts'

/** Texts whose words are indexed together: the more, the better the dictionary of a library that has just moved in. */
const mostTogether = 500
/** Texts that are in memory with their sentences. */
const mostRead = 20

/**
 * Indexes the approved texts that are not indexed yet, and removes the others. In one process at a time; a caller returns when
 * the index has all texts that were approved before the call.
 */
export async function updateIndex({ sql, locks }: Pick<Context, 'sql' | 'locks'>): Promise<void> {
  if (!(await isBehind(sql))) return
  await locks.run('spoken search', async () => {
    await removeStale(sql)
    while ((await indexSome(sql)) > 0);
  })
}

async function indexSome(sql: Database): Promise<number> {
  const fresh = await readWords(sql)
  if (fresh.length === 0) return 0
  const dictionary = await knownWords(sql)
  const stored = await allIndexedWords(sql)
  const unknown = fresh.map(({ words }) => words.filter((word) => !dictionary.numbers.has(word)))
  const learned = wordsToLearn(dictionary.words.length, [
    ...unknown,
    ...stored.map(({ own }) => decodeWords(own)),
  ])
  const piece = learned.length > 0 ? dictionary.learn(learned) : undefined
  const changed = piece ? withLearned(stored, dictionary) : []
  const added = fresh.map(({ teaching, rev, words }) => ({
    teaching,
    rev,
    ...encodeText(words, dictionary.numbers),
  }))
  await inTransaction(sql, async (tx) => {
    if (piece) await addPiece(tx, piece.at, piece)
    await putWords(tx, [...changed, ...added])
  })
  return fresh.length
}

/** The distinct words of the next texts, with turns of the event loop between them. */
async function readWords(sql: Database) {
  const texts: { teaching: string; rev: number; words: string[] }[] = []
  // One string for each word: otherwise each would hold the text that it was cut from.
  const interned = new Map<string, string>()
  const known = new Set<string>()
  while (texts.length < mostTogether) {
    const rows = await textsToIndex(sql, mostRead, [...known])
    for (const { teaching, rev, sentences } of rows) {
      known.add(teaching)
      const words = distinctWords(sentences).map((word) => {
        const same = interned.get(word)
        if (same !== undefined) return same
        const own = Buffer.from(word).toString()
        interned.set(own, own)
        return own
      })
      texts.push({ teaching, rev, words })
      await setImmediate()
    }
    if (rows.length < mostRead) break
  }
  return texts
}

async function knownWords(sql: Database) {
  const pieces = await readDictionary(sql)
  const words = pieces.flatMap((piece) => decodeWords(piece.words))
  const numbers = new Map(words.map((word, number) => [word, number]))
  return {
    words,
    numbers,
    /** Adds words; returns their piece. */
    learn(learned: readonly string[]) {
      for (const word of learned) numbers.set(word, words.push(word) - 1)
      const encoded = encodeWords(learned)
      return { at: pieces.length, id: contentIdOf(`${pieces.at(-1)?.id ?? ''}\n${encoded}`), words: encoded }
    },
  }
}

/** The texts that have learned words of their own, which now have numbers. */
function withLearned(
  stored: readonly StoredWords[],
  { words, numbers }: { words: readonly string[]; numbers: ReadonlyMap<string, number> },
): StoredWords[] {
  return stored.flatMap((text) => {
    const own = decodeWords(text.own)
    if (!own.some((word) => numbers.has(word))) return []
    eachNumber(text.numbers, words.length, (number) => own.push(words[number]!))
    return [{ teaching: text.teaching, rev: text.rev, ...encodeText(own, numbers) }]
  })
}

/** The name of a content, by which it is addressed. */
export const contentIdOf = (content: string): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 16)
