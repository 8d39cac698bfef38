import { brotliCompressSync, constants } from 'node:zlib'
import MiniSearch from 'minisearch'
import { type IndexedText, spokenIndexInSteps } from '@fellowship/schema/spoken-search/spoken-index'
import {
  decodeWords,
  encodeText,
  encodeWords,
  wordsToLearn,
} from '@fellowship/schema/spoken-search/spoken-words'
import { finish } from '@fellowship/schema/teachings/teaching-search'
import { generatedTexts } from '@fellowship/schema/testing/spoken-library'
import type { Area, BenchRow } from '../area.ts'
import { median, percentile, ratioText, sideBySide } from '../rounds.ts'

const texts = 1_000
const wordsOfText = 6_000
/** Texts of a year, which travel together. */
const ofYear = 50

/** The transcript index: its size, the time to build it, and the time of a search at every keystroke. */
export const spokenSearch: Area = {
  name: 'spoken-search',
  needs: [],
  async run({ report }) {
    const { vocabulary, texts: spoken } = generatedTexts({ texts, wordsOfText })
    const words = spoken.map((text) => [...new Set(text)].map((word) => vocabulary[word]!))
    const at500 = learned(words, 500)
    for (const row of bytesOf(words, at500)) report(row)
    report(await building(words, at500))
    report(await keystrokes(vocabulary, words, at500))
  },
}

interface Learned {
  dictionary: string[]
  pieces: string[]
  packed: IndexedText[]
}

/** As the server learns words, from so many texts at a time. */
function learned(words: readonly (readonly string[])[], together: number): Learned {
  const dictionary: string[] = []
  const pieces: string[] = []
  const numbers = new Map<string, number>()
  const packed: IndexedText[] = []
  for (let from = 0; from < words.length; from += together) {
    const fresh = words.slice(from, from + together)
    const unknown = fresh.map((text) => text.filter((word) => !numbers.has(word)))
    const piece = wordsToLearn(dictionary.length, [...packed.map(({ own }) => decodeWords(own)), ...unknown])
    for (const word of piece) numbers.set(word, dictionary.push(word) - 1)
    if (piece.length > 0) pieces.push(encodeWords(piece))
    if (piece.length > 0)
      packed.forEach((text, at) => {
        if (decodeWords(text.own).some((word) => numbers.has(word)))
          packed[at] = { uid: text.uid, ...encodeText(words[at]!, numbers) }
      })
    for (const text of fresh) packed.push({ uid: String(packed.length), ...encodeText(text, numbers) })
  }
  return { dictionary, pieces, packed }
}

function bytesOf(words: readonly (readonly string[])[], { pieces, packed }: Learned): BenchRow[] {
  const whole = ({ pieces: all, packed: parts }: Pick<Learned, 'pieces' | 'packed'>) =>
    brotli(JSON.stringify(all)) +
    Array.from({ length: texts / ofYear }, (_, year) =>
      brotli(JSON.stringify(parts.slice(year * ofYear, (year + 1) * ofYear))),
    ).reduce((sum, bytes) => sum + bytes, 0)
  const index = whole({ pieces, packed })
  const grown = whole(learned(words, 1))
  const lists = brotli(words.map((text) => text.toSorted().join(' ')).join('\n'))
  const one = brotli(JSON.stringify(packed.at(-1)))
  const alone = brotli(words.at(-1)!.toSorted().join(' '))
  const row = (work: string, bytes: number, yardstick: number, most: number) => ({
    work,
    product: `${kilobytes(bytes)} kB`,
    yardstick: `word lists ${kilobytes(yardstick)} kB`,
    ratio: ratioText([bytes / yardstick]),
    target: `≤ ${kilobytes(most)} kB`,
    met: bytes <= most,
  })
  return [
    row('what was said in 1,000 texts, brotli', index, lists, 900_000),
    row('the same, if they came one by one', grown, lists, 900_000),
    row('one new text, brotli', one, alone, 5_000),
  ]
}

async function building(
  words: readonly (readonly string[])[],
  { dictionary, packed }: Learned,
): Promise<BenchRow> {
  const { product, yardstick, ratios } = await sideBySide(
    () => milliseconds(() => finish(spokenIndexInSteps(dictionary, packed))),
    () => milliseconds(() => miniSearch(words)),
    2,
  )
  return {
    work: 'what was said in 1,000 texts, building the index',
    product: `${product.toFixed(0)} ms`,
    yardstick: `MiniSearch ${yardstick.toFixed(0)} ms`,
    ratio: ratioText(ratios),
    target: '–',
    met: true,
  }
}

async function keystrokes(
  vocabulary: readonly string[],
  words: readonly (readonly string[])[],
  { dictionary, packed }: Learned,
): Promise<BenchRow> {
  const index = finish(spokenIndexInSteps(dictionary, packed))
  const mini = miniSearch(words)
  const typed = [20, 90, 400, 1_500, 6_000].flatMap((word) => {
    const misspelt = `${vocabulary[word]!.slice(0, 3)}x${vocabulary[word]!.slice(4)}`
    return [vocabulary[word]!, `${vocabulary[word + 1]!} ${vocabulary[word + 7]!}`, misspelt].flatMap(
      (phrase) => Array.from(phrase.slice(0, 12), (_, end) => phrase.slice(0, end + 1)),
    )
  })
  const medians = { product: [] as number[], yardstick: [] as number[] }
  const { product, yardstick, ratios } = await sideBySide(
    () => Promise.resolve(type(typed, medians.product, (text) => index.search(text))),
    () => Promise.resolve(type(typed, medians.yardstick, (text) => mini.search(text))),
    3,
  )
  return {
    work: 'what was said in 1,000 texts, a keystroke: p95 (p50)',
    product: `${product.toFixed(2)} ms (${median(medians.product).toFixed(2)})`,
    yardstick: `MiniSearch ${yardstick.toFixed(2)} ms (${median(medians.yardstick).toFixed(2)})`,
    ratio: ratioText(ratios),
    // A quarter of 50 ms, as this runs at the full speed of the processor.
    target: '≤ 12.5 ms',
    met: product <= 12.5,
  }
}

/** The 95th percentile in milliseconds; adds the median to `medians`. */
function type(typed: readonly string[], medians: number[], find: (text: string) => unknown): number {
  const times = typed.map((text) => {
    const started = performance.now()
    find(text)
    return performance.now() - started
  })
  medians.push(median(times))
  return percentile(times, 0.95)
}

function miniSearch(words: readonly (readonly string[])[]): MiniSearch {
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ['text'],
    searchOptions: { prefix: true, fuzzy: 0.2, combineWith: 'AND' },
  })
  index.addAll(words.map((text, id) => ({ id, text: text.join(' ') })))
  return index
}

const brotli = (text: string): number =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } }).length

const kilobytes = (bytes: number) => (bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)

function milliseconds(work: () => unknown): Promise<number> {
  const started = performance.now()
  work()
  return Promise.resolve(performance.now() - started)
}
