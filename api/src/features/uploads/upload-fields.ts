import { Problem } from '@fellowship/schema/problem'
import { teachingFields, type TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { textOf, wordNames, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { parseFilename } from '@fellowship/schema/uploads/parse-filename'
import { someFields, type ParsedFilename, type SomeFields } from '@fellowship/schema/uploads/uploads.schema'
import { parseInput } from '../../http/input.ts'

/** The fields merged from a form and a file name. */
export type MergedFields = ParsedFilename & TeachingText

/**
 * Merges the fields of a recording: corrected fields win over form fields, and those over the file name. A corrected field
 * wins even when it is empty. An empty form field wins only if the name breaks the convention: the parts of such a name are
 * a guess, which must not replace a field that was left empty.
 */
export function mergeFields(
  filename: string,
  { entered = {}, corrected = {} }: { entered?: SomeFields; corrected?: SomeFields },
): MergedFields {
  const parsed = parseFilename(filename)
  const fields = textOf(parsed)
  for (const name of wordNames) {
    const written = entered[name]?.trim()
    if (written || (written === '' && !parsed.isValid)) fields[name] = written
    if (corrected[name] !== undefined) fields[name] = corrected[name].trim()
  }
  const isValid = teachingFields.safeParse(fields).success
  // Errors of the file name matter only while the merged fields are invalid.
  return { ...fields, isValid, errors: isValid ? [] : parsed.errors }
}

/**
 * Validates merged fields and reports the first error in the order speaker, title or scripture, date.
 *
 * @throws Problem `invalid_input` with the sentence, and the merged fields as `parsedData`
 */
export function checkFields(merged: MergedFields): TeachingFields {
  const checked = teachingFields.safeParse(merged)
  if (checked.success) return checked.data
  const issues = [...checked.error.issues].sort((a, b) => rank(a.path[0]) - rank(b.path[0]))
  throw new Problem('invalid_input', issues[0]!.message, { parsedData: merged })
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
