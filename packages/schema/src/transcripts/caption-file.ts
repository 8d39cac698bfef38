import { plain, sentencesOf, spokenTexts, withinLength } from './caption-text.ts'
import { transcriptLimits as limits } from './transcripts.limits.ts'
import type { Sentence } from './transcripts.schema.ts'
import { transcriptTexts as texts } from './transcripts.texts.ts'

/** What a file of captions says, or why it cannot be read. */
export type CaptionFile = { sentences: Sentence[]; language: string } | { fault: string }

/**
 * Reads VTT, SRT, SBV, or plain text with or without [12:34]; the content decides which. Styles, regions, notes and positions
 * are skipped; words are never lost: text that belongs nowhere is a fault that names its line. The time is linear in the length.
 */
export function readCaptions(text: string): CaptionFile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  try {
    if (lines.length > limits.lines) throw new Fault(texts.tooMany)
    const { sentences, language = '' } = read(lines)
    const all = withinLength(sentences)
    if (all.length === 0) throw new Fault(texts.empty)
    if (all.length > limits.sentences) throw new Fault(texts.tooMany)
    if (all.reduce((sum, each) => sum + each.text.length, 0) > limits.all) throw new Fault(texts.tooLong)
    return { sentences: all, language }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

class Fault extends Error {}

type Read = { sentences: Sentence[]; language?: string }

function read(lines: readonly string[]): Read {
  const first = lines.find((line) => line.trim() !== '')?.trim() ?? ''
  if (/^<(!doctype|html|\?xml)/i.test(first) || first.startsWith(String.raw`{\rtf`))
    throw new Fault(texts.isPage)
  if (/^WEBVTT(?:[ \t]|$)/.test(first)) return readCues(lines, true)
  if (lines.some((line) => line.includes('-->'))) return readCues(lines, false)
  if (sbvTimes.test(first)) return { sentences: readSbv(lines) }
  return { sentences: readPlain(lines) }
}

const time = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?`
const cueTimes = new RegExp(String.raw`^\s*${time}\s*-->\s*${time}(?:\s.*)?$`)
const sbvTimes = new RegExp(`^${time},${time}$`)
const mark = new RegExp(String.raw`\[(${time})\]`, 'g')
const lineMark = new RegExp(`^${time}$`)

/** Milliseconds of four groups of `time`; undefined if that is no time. */
function msOf([hours, minutes, seconds, fraction]: readonly (string | undefined)[]): number | undefined {
  if (Number(seconds) > 59 || (hours !== undefined && Number(minutes) > 59)) return undefined
  const whole = (Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)
  const ms = whole * 1000 + Math.floor(Number(`0.${fraction ?? 0}`) * 1000 + 1e-6)
  return ms > limits.time ? undefined : ms
}

function spanOf(pattern: RegExp, lines: readonly string[], at: number): { start: number; end: number } {
  const groups = pattern.exec(lines[at]!.trim())
  const start = groups ? msOf(groups.slice(1, 5)) : undefined
  const end = groups ? msOf(groups.slice(5, 9)) : undefined
  if (start === undefined || end === undefined) throw new Fault(texts.badTime(at + 1, shown(lines[at]!)))
  if (end < start) throw new Fault(texts.backwards(at + 1))
  return { start, end }
}

const shown = (line: string) => {
  const text = plain(line)
  return text.length > 60 ? `${text.slice(0, 60).replaceAll(/\p{Cs}/gu, '')}…` : text
}

const isBlank = (line: string | undefined) => line === undefined || line.trim() === ''
const hasTimes = (line: string | undefined) => line !== undefined && line.includes('-->')

/** Cues of VTT and of SRT. In SRT a text may hold blank lines, and blank lines between cues may be missing. */
function readCues(lines: readonly string[], isVtt: boolean): Read {
  const cues: Sentence[] = []
  let language = ''
  let at = 0
  if (isVtt) {
    while (isBlank(lines[at])) at += 1
    for (; !isBlank(lines[at]) && !hasTimes(lines[at]); at += 1)
      language ||= /^Language:\s*([a-z]{2,8}(?:-[a-z\d]{1,8}){0,3})\s*$/i.exec(lines[at]!)?.[1] ?? ''
  }
  while (at < lines.length) {
    if (isBlank(lines[at])) at += 1
    else if (isVtt && /^(NOTE|STYLE|REGION)(\s|$)/.test(lines[at]!)) while (!isBlank(lines[at])) at += 1
    else at = readCue(lines, at, { isVtt, cues })
    if (cues.length > limits.sentences) throw new Fault(texts.tooMany)
  }
  // Some programs sort by another order; the order of the sentences is that of their times.
  return { sentences: cues.toSorted((a, b) => a.start! - b.start!), language }
}

function readCue(
  lines: readonly string[],
  from: number,
  { isVtt, cues }: { isVtt: boolean; cues: Sentence[] },
): number {
  const isNamed = !hasTimes(lines[from])
  let at = isNamed ? from + 1 : from
  if (!hasTimes(lines[at])) {
    const before = cues.at(-1)
    if (isVtt || !before) throw new Fault(texts.untimed(from + 1, shown(lines[from]!)))
    const [more] = spokenTexts(lines[from]!)
    if (more) before.text = `${before.text} ${more.text}`
    return at
  }
  const about = isNamed && lines[from]!.startsWith('about')
  const span = spanOf(cueTimes, lines, at)
  at += 1
  const words: string[] = []
  while (!isBlank(lines[at]) && !hasTimes(lines[at])) {
    // The number of the next cue.
    if (hasTimes(lines[at + 1]) && /^\s*\d+\s*$/.test(lines[at]!)) break
    words.push(lines[at]!)
    at += 1
  }
  for (const spoken of spokenTexts(words.join('\n'))) cues.push({ ...span, about, ...spoken })
  return at
}

function readSbv(lines: readonly string[]): Sentence[] {
  const sentences: Sentence[] = []
  let at = 0
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const span = spanOf(sbvTimes, lines, at)
    const words: string[] = []
    for (at += 1; !isBlank(lines[at]); at += 1) words.push(lines[at]!)
    const text = plain(words.join(' ').replaceAll('[br]', ' '))
    if (text !== '') sentences.push({ ...span, about: false, voice: '', text })
  }
  return sentences.toSorted((a, b) => a.start! - b.start!)
}

/** Plain text: paragraphs become sentences. A time, [12:34] or a line of its own, is that of the words after it. */
function readPlain(lines: readonly string[]): Sentence[] {
  const parts: { start: number | null; text: string }[] = [{ start: null, text: '' }]
  let latest = 0
  const begin = (groups: readonly (string | undefined)[], written: string, line: number) => {
    const start = msOf(groups)
    if (start === undefined) throw new Fault(texts.badMark(line, shown(written)))
    if (start < latest) throw new Fault(texts.markBefore(line, shown(written)))
    latest = start
    parts.push({ start, text: '' })
  }
  const add = (text: string) => (parts[parts.length - 1]!.text += text)
  for (const [at, line] of lines.entries()) {
    const alone = lineMark.exec(line.trim())
    if (alone) {
      begin(alone.slice(1, 5), line, at + 1)
      continue
    }
    let done = 0
    for (const found of line.matchAll(mark)) {
      add(line.slice(done, found.index))
      begin(found.slice(2, 6), found[0], at + 1)
      done = found.index + found[0].length
    }
    add(`${line.slice(done)}${isBlank(line) ? '\n\n' : '\n'}`)
  }
  return parts.flatMap(({ start, text }, at) => timed(text, start, parts[at + 1]?.start ?? null))
}

/** The sentences between two times; all but the first are placed by their length. */
function timed(text: string, start: number | null, next: number | null): Sentence[] {
  const found = text.split(/\n\s*\n/).flatMap(sentencesOf)
  const whole = found.reduce((sum, each) => sum + each.length, 0)
  let done = 0
  return found.map((each, at) => {
    const isPlaced = at === 0 || next !== null
    const from = start === null || !isPlaced ? null : start + (at && ((next! - start) * done) / whole)
    done += each.length
    return {
      start: from === null ? null : Math.round(from),
      end: null,
      about: at > 0 && from !== null,
      voice: '',
      text: each,
    }
  })
}
