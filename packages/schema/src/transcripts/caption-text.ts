import { transcriptLimits as limits } from './transcripts.limits.ts'
import type { Sentence } from './transcripts.schema.ts'

/** A text and the name of the speaker, empty if there is none. */
interface Spoken {
  voice: string
  text: string
}

/** The text of a caption without its tags, one for each voice in it. */
export function spokenTexts(caption: string): Spoken[] {
  const starts = [0, ...Array.from(caption.matchAll(/<v[.\s]/g), ({ index }) => index)]
  // More are refused anyway.
  return starts.slice(0, limits.sentences + 2).flatMap((from, at) => {
    const part = caption.slice(from, starts[at + 1])
    const voice = /^<v(?:\.[^\s<>]*)?\s+([^<>]*)>/.exec(part)?.[1] ?? ''
    const text = plain(withoutEntities(part.replaceAll(/<\/?[a-z\d][^<>]*>|\{\\[^{}]*\}/gi, '')))
    return text === '' ? [] : [{ voice: plain(withoutEntities(voice)).slice(0, limits.voice).trim(), text }]
  })
}

/** One line of printable characters, as `plainLine` accepts it. */
export const plain = (text: string): string =>
  text
    .replaceAll(/[\s\u0085]+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\uFEFF]/gu, '')
    .trim()

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '',
  rlm: '',
}

const withoutEntities = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name: string) => {
    if (name) return entities[name.toLowerCase()] ?? whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex as string, 16)
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
  })

/** Words with a full stop that ends no sentence. */
const abbreviated =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|St|Rev|Prof|Sr|Jr|vs|cf|ch|v|vv|e\.g|i\.e|[A-Z]|Gen|Ex|Lev|Num|Deut|Josh|Ps|Prov|Isa|Jer|Matt|Rom|Cor|Gal|Eph|Phil|Col|Thess|Tim|Heb|Pet)\.$/

/** The sentences of a paragraph. */
export function sentencesOf(paragraph: string): string[] {
  const found: string[] = []
  let begun: string[] = []
  for (const part of plain(paragraph).split(/(?<=[.!?…]["'”’)\]]{0,2}) (?=["'“‘([]?[\p{Lu}\p{Lo}\d])/u)) {
    begun.push(part)
    if (abbreviated.test(part.slice(-12))) continue
    found.push(begun.join(' '))
    begun = []
  }
  return [...found, begun.join(' ')].filter((text) => text !== '')
}

/** Sentences whose length is within its limit: longer ones are split at a space, with estimated times. */
export function withinLength(all: readonly Sentence[]): Sentence[] {
  return all.flatMap((one) => {
    if (one.text.length <= limits.sentence) return [one]
    const parts: string[] = []
    let rest = one.text
    while (rest.length > limits.sentence) {
      const space = rest.lastIndexOf(' ', limits.sentence)
      const at = space > limits.sentence / 2 ? space : limits.sentence - 1
      parts.push(rest.slice(0, at).trim())
      rest = rest.slice(at).trim()
    }
    parts.push(rest)
    const { start, end } = one
    let done = 0
    return parts.map((text, at) => {
      const share = (chars: number) =>
        start === null || end === null ? null : Math.round(start + ((end - start) * chars) / one.text.length)
      const from = at === 0 ? start : share(done)
      done += text.length
      return {
        ...one,
        text: text.replaceAll(/\p{Cs}/gu, ''),
        start: from,
        end: at === parts.length - 1 ? end : share(done),
        about: one.about || (at > 0 && from !== null),
      }
    })
  })
}
