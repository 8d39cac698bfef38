import { churchDate } from '@fellowship/schema/dates'
import { Problem } from '@fellowship/schema/problem'
import { teachingFields, type TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import {
  textOf,
  wordNames,
  type TeachingText,
  type WordName,
} from '@fellowship/schema/teachings/teaching-words'
import { type Doubt, doubtsOfDate, doubtsOfText } from '@fellowship/schema/uploads/doubts'
import { readName } from '@fellowship/schema/uploads/parse-filename'
import { someFields, type ParsedFilename, type SomeFields } from '@fellowship/schema/uploads/uploads.schema'
import type { Clock } from '../../machine/clock.ts'
import { parseInput } from '../../http/input.ts'

/** The fields merged from a form and a file name. */
export type MergedFields = ParsedFilename & TeachingText

/**
 * Merges the fields of a recording: corrected fields win over form fields, and those over the file name. A corrected field
 * wins even when it is empty. An empty form field wins only if the name breaks the convention: the parts of such a name are
 * a guess, which must not replace a field that was left empty.
 *
 * A doubt about the name is answered by the fields it is about. Form fields may be as damaged as a name, and their date as
 * far ahead; corrected fields are a person's answer.
 */
export function mergeFields(
  { clock }: { clock: Clock },
  filename: string,
  { entered = {}, corrected = {} }: { entered?: SomeFields; corrected?: SomeFields },
): MergedFields {
  const today = churchDate(clock.now())
  const read = readName(filename, today)
  const isNameValid = read.doubts.length === 0
  const fields = textOf(read)
  const given = new Set<WordName>()
  const typed: SomeFields = {}
  for (const name of wordNames) {
    const written = entered[name]?.trim()
    if (written || (written === '' && !isNameValid)) {
      fields[name] = written
      typed[name] = written
      given.add(name)
    }
    if (corrected[name] === undefined) continue
    fields[name] = corrected[name].trim()
    delete typed[name]
    given.add(name)
  }
  const isWhole = teachingFields.safeParse(fields).success
  const doubts = [...read.doubts.filter((doubt) => !isAnswered(doubt, given)), ...doubtsOfTyped(typed, today)]
  const isValid = isWhole && doubts.length === 0
  const told = isWhole ? doubts : [...read.doubts, ...doubtsOfTyped(typed, today)]
  return { ...fields, isValid, errors: isValid ? [] : told.map(({ sentence }) => sentence) }
}

function isAnswered({ about }: Doubt, given: ReadonlySet<WordName>): boolean {
  const hasEither = given.has('title') || given.has('scriptureReference')
  if (about === 'either') return hasEither
  return about === 'name' ? given.has('speaker') && given.has('date') && hasEither : given.has(about)
}

const doubtsOfTyped = (
  { date = '', title = '', speaker = '', scriptureReference = '' }: SomeFields,
  today: string,
) => [
  ...doubtsOfDate(date, today),
  ...doubtsOfText('speaker', speaker),
  ...doubtsOfText('title', title),
  ...doubtsOfText('scriptureReference', scriptureReference),
]

/**
 * Validates merged fields and reports the first error in the order speaker, title or scripture, date; then the doubts.
 *
 * @throws Problem `invalid_input` with the sentence, and the merged fields as `parsedData`
 */
export function checkFields(merged: MergedFields): TeachingFields {
  const checked = teachingFields.safeParse(merged)
  if (checked.success && merged.isValid) return checked.data
  const issues = [...(checked.error?.issues ?? [])].sort((a, b) => rank(a.path[0]) - rank(b.path[0]))
  throw new Problem('invalid_input', issues[0]?.message ?? merged.errors.join(' '), { parsedData: merged })
}

/** The teaching's fields in Upload-Metadata. */
export function metadataFields(metadata: Record<string, string | null>): SomeFields {
  const given = Object.entries(metadata).filter(([name, value]) => name in someFields.shape && value !== null)
  return parseInput(someFields, Object.fromEntries(given))
}

/** Whether an upload has all required fields, so that stock tus clients need not call finalize. */
export const isComplete = ({ title, speaker, date, scriptureReference }: SomeFields): boolean =>
  isFilled(speaker) && isFilled(date) && (isFilled(title) || isFilled(scriptureReference))

const isFilled = (text: string | undefined) => text !== undefined && text.trim() !== ''

/** Parses form fields with the same length limits as JSON input. */
export function readFields(form: ReadonlyMap<string, string>): SomeFields {
  return parseInput(someFields, Object.fromEntries(form))
}

/** The form field `overrideData`: JSON of the corrected fields. */
export function readOverride(json: string | undefined): SomeFields {
  if (json === undefined || json.trim() === '') return {}
  try {
    return parseInput(someFields, JSON.parse(json))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Problem('malformed_json', 'overrideData is not valid JSON.')
  }
}

/** The order in which invalid fields are reported. */
const order = ['speaker', 'title', 'scriptureReference', 'date']
const rank = (field: PropertyKey | undefined) =>
  order.includes(String(field)) ? order.indexOf(String(field)) : order.length
