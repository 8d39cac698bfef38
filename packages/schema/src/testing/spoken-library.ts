import { seededRandom } from './random.ts'

/** A generated library of texts, each as the numbers of its words. */
export interface GeneratedTexts {
  readonly vocabulary: readonly string[]
  readonly texts: readonly (readonly number[])[]
}

/**
 * Texts whose words are distributed as in speech: by Zipf's law over the library, and half of each text from the words of its
 * own subject, so that 6,000 words have some 1,350 different ones, as a sermon has.
 */
export function generatedTexts({
  texts,
  wordsOfText,
  vocabulary: size = 20_000,
  seed = 7,
}: {
  texts: number
  wordsOfText: number
  vocabulary?: number
  seed?: number
}): GeneratedTexts {
  const random = seededRandom(seed)
  const share = () => random.whole(1_000_000) / 1_000_000
  const vocabulary = inventedWords(size, random)
  const sums = new Float64Array(size)
  let sum = 0
  for (let rank = 0; rank < size; rank++) sums[rank] = sum += (rank + 3.7) ** -1.07
  const draw = () => {
    const wanted = share() * sum
    let low = 0
    let high = size - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    vocabulary,
    texts: Array.from({ length: texts }, () => {
      const subject = Array.from({ length: 60 }, draw)
      return Array.from({ length: wordsOfText }, () =>
        share() < 0.5 ? subject[Math.floor(share() * share() * subject.length)]! : draw(),
      )
    }),
  }
}

/** Pronounceable words, the frequent ones shorter. */
function inventedWords(count: number, random: ReturnType<typeof seededRandom>): string[] {
  const words = new Set<string>()
  while (words.size < count) {
    const rank = words.size
    const syllables = rank < 60 ? 1 : rank < 1500 ? 1 + random.whole(2) : 2 + random.whole(2)
    let word = ''
    for (let at = 0; at < syllables; at++)
      word += `${random.pick(onsets)}${random.pick(vowels)}${random.pick(codas)}`
    words.add(rank > 300 ? word + random.pick(endings) : word)
  }
  return [...words]
}

const onsets = [
  'b',
  'c',
  'd',
  'f',
  'g',
  'h',
  'j',
  'l',
  'm',
  'n',
  'p',
  'r',
  's',
  't',
  'v',
  'w',
  'st',
  'th',
  'gr',
  '',
] as const
const vowels = ['a', 'e', 'i', 'o', 'u', 'ea', 'ou', 'ai'] as const
const codas = ['', '', '', 'n', 'r', 's', 't', 'l', 'd', 'nd'] as const
const endings = ['', '', '', 's', 'ed', 'ing', 'er', 'ly', 'ness', 'ion', 'ment', 'able'] as const
