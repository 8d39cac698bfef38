import type { Sentence } from './transcripts.schema.ts'

/** A sentence with its times. */
export type TimedSentence = Sentence & { start: number; end: number }

/** About how long a character is spoken. */
const msPerCharacter = 65

/**
 * Sentences that all have times: those without are placed between their neighbours by their length, and marked as approximate.
 *
 * @param durationMs of the recording; estimated if it is unknown
 */
export function withTimes(all: readonly Sentence[], durationMs?: number): TimedSentence[] {
  const starts = all.map(({ start }) => start)
  for (let from = 0; from < all.length; from += 1) {
    if (starts[from] !== null) continue
    let to = from
    while (to < all.length && starts[to] === null) to += 1
    const before = from === 0 ? 0 : (all[from - 1]!.end ?? starts[from - 1]!)
    const first = from > 0 && all[from - 1]!.end === null ? from - 1 : from
    const chars = all.slice(first, to).reduce((sum, { text }) => sum + text.length, 0)
    const spoken = before + chars * msPerCharacter
    const after = Math.max(before, starts[to] ?? durationMs ?? spoken)
    let done = first < from ? all[first]!.text.length : 0
    for (let at = from; at < to; at += 1) {
      starts[at] = Math.round(before + ((after - before) * done) / chars)
      done += all[at]!.text.length
    }
  }
  return all.map((one, at) => {
    const start = starts[at]!
    const next = starts[at + 1] ?? Math.max(durationMs ?? 0, start + one.text.length * msPerCharacter)
    return {
      ...one,
      start,
      end: Math.max(one.end ?? next, start + 1),
      about: one.about || one.start === null,
    }
  })
}

/** The text as a WebVTT file, which `readCaptions` reads back. */
export function vttOf(all: readonly TimedSentence[], language: string): string {
  const cues = all.map(({ start, end, about, voice, text }, at) => {
    const name = about ? `about-${at + 1}\n` : ''
    const speaker = voice === '' ? '' : `<v ${escaped(voice)}>`
    return `${name}${clock(start)} --> ${clock(end)}\n${speaker}${escaped(text)}\n`
  })
  return `WEBVTT\n${language === '' ? '' : `Language: ${language}\n`}\n${cues.join('\n')}`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function clock(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const minutes = ms / 60_000
  const rest = String(ms % 1000).padStart(3, '0')
  return `${two(minutes / 60)}:${two(minutes % 60)}:${two((ms / 1000) % 60)}.${rest}`
}
