import type { Sentence } from './transcripts.schema.ts'

type Text = readonly Sentence[]

/** Splits a sentence before a character; the time of the second part is estimated. */
export function splitSentence(all: Text, at: number, character: number): Sentence[] {
  const one = all[at]!
  const [first, second] = [one.text.slice(0, character).trim(), one.text.slice(character).trim()]
  if (first === '' || second === '') return [...all]
  const { start } = one
  // Captions may overlap.
  const next = all.slice(at + 1).find((each) => each.start !== null)?.start ?? null
  const end = one.end === null || next === null ? (one.end ?? next) : Math.min(one.end, next)
  const between =
    start === null || end === null || end < start
      ? null
      : Math.round(start + ((end - start) * first.length) / (first.length + second.length))
  const parts: Sentence[] = [
    { ...one, text: first, end: between },
    { ...one, text: second, start: between, end: between === null ? null : one.end, about: between !== null },
  ]
  return all.toSpliced(at, 1, ...parts)
}

/** Joins a sentence to the one before it. */
export function joinSentence(all: Text, at: number): Sentence[] {
  const [before, one] = [all[at - 1], all[at]]
  if (!before || !one) return [...all]
  const end = before.start === null ? null : (one.end ?? before.end)
  return all.toSpliced(at - 1, 2, { ...before, end, text: `${before.text} ${one.text}` })
}

/** Changes the words of a sentence; without words it is removed. */
export const changeSentence = (all: Text, at: number, text: string): Sentence[] =>
  text.trim() === '' ? all.toSpliced(at, 1) : all.with(at, { ...all[at]!, text: text.trim() })

/** Replaces whole words; capitals count. Returns the text and how many were replaced. */
export function replaceWords(all: Text, find: string, by: string): { sentences: Sentence[]; count: number } {
  const wanted = find.trim()
  if (wanted === '') return { sentences: [...all], count: 0 }
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{N}])${wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\p{L}\p{N}])`,
    'gu',
  )
  let count = 0
  const sentences = all.flatMap((one) => {
    const text = one.text.replaceAll(pattern, () => {
      count += 1
      return by
    })
    if (text === one.text) return [one]
    const changed = text.replaceAll(/\s+/g, ' ').trim()
    return changed === '' ? [] : [{ ...one, text: changed }]
  })
  return { sentences, count }
}

/** A place that two people have changed in different ways: the sentences as each of them left it. */
export interface TextConflict {
  mine: readonly Sentence[]
  theirs: readonly Sentence[]
}

/** A part of a merged text. */
export type MergedPart = readonly Sentence[] | TextConflict

export const isConflict = (part: MergedPart): part is TextConflict => !Array.isArray(part)

/** Merges two texts that were made of the same one, sentence by sentence. */
export function mergeTexts(base: Text, mine: Text, theirs: Text): MergedPart[] {
  const [ofMine, ofTheirs] = [matches(base, mine), matches(base, theirs)]
  const parts: MergedPart[] = []
  let [at, inMine, inTheirs] = [0, 0, 0]
  const settle = (toBase: number, toMine: number, toTheirs: number) => {
    const was = base.slice(at, toBase)
    const [own, other] = [mine.slice(inMine, toMine), theirs.slice(inTheirs, toTheirs)]
    // Sentences of which none was split or joined are compared one by one.
    const isEven = was.length > 1 && own.length === was.length && other.length === was.length
    if (isEven) parts.push(...was.flatMap((one, of) => mergeTexts([one], [own[of]!], [other[of]!])))
    else if (isSameText(own, was) || isSameText(own, other)) parts.push(other)
    else if (isSameText(other, was)) parts.push(own)
    else parts.push({ mine: own, theirs: other })
  }
  for (let next = 0; next < base.length; next += 1) {
    const [own, other] = [ofMine[next]!, ofTheirs[next]!]
    if (own < 0 || other < 0) continue
    settle(next, own, other)
    parts.push([mine[own]!])
    ;[at, inMine, inTheirs] = [next + 1, own + 1, other + 1]
  }
  settle(base.length, mine.length, theirs.length)
  return parts.filter((part) => isConflict(part) || part.length > 0)
}

/** The merged text, once it is decided which conflicts are mine; its times are in order. */
export const decided = (parts: readonly MergedPart[], isMine: readonly boolean[]): Sentence[] => {
  let at = 0
  let latest = 0
  const whole = parts.flatMap((part) => {
    if (!isConflict(part)) return part
    at += 1
    return isMine[at - 1] ? part.mine : part.theirs
  })
  return whole.map((one) => {
    if (one.start === null) return one
    latest = Math.max(latest, one.start)
    return { ...one, start: latest, end: one.end === null ? null : Math.max(one.end, latest) }
  })
}

const keyOf = ({ start, end, about, voice, text }: Sentence) => [start, end, about, voice, text].join('\n')

/** Whether two texts are the same, in whatever order a database returns the members of their sentences. */
export const isSameText = (one: Text, other: Text): boolean =>
  one.length === other.length && one.every((each, at) => keyOf(each) === keyOf(other[at]!))

/** Sentences that are compared with each other at most: of larger differences the whole middle counts as changed. */
const mostCompared = 4_000_000

/** The place of each sentence of `base` in `changed`, in order; -1 if it is not there. */
function matches(base: Text, changed: Text): number[] {
  const [from, to] = [base.map(keyOf), changed.map(keyOf)]
  const found = from.map(() => -1)
  let head = 0
  while (head < from.length && from[head] === to[head]) found[head] = head++
  let tail = 0
  while (tail < Math.min(from.length, to.length) - head && from.at(-1 - tail) === to.at(-1 - tail)) {
    found[from.length - 1 - tail] = to.length - 1 - tail
    tail += 1
  }
  const [rows, columns] = [from.length - head - tail, to.length - head - tail]
  if (rows * columns === 0 || rows * columns > mostCompared) return found
  // The longest common subsequence.
  const width = columns + 1
  const lengths = new Uint16Array((rows + 1) * width)
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        from[head + row] === to[head + column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!)
  for (let row = 0, column = 0; row < rows && column < columns;) {
    if (from[head + row] === to[head + column]) found[head + row++] = head + column++
    else if (lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!) row += 1
    else column += 1
  }
  return found
}
