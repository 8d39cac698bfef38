import { Problem } from '@fellowship/schema/problem'
import { teachingFields, type TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { textOf, wordNames, type TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { parseFilename } from '@fellowship/schema/uploads/parse-filename'
import { someFields, type ParsedFilename, type SomeFields } from '@fellowship/schema/uploads/uploads.schema'
import { parseInput } from '../../http/input.ts'

/** What a form and a file name say together. */
export type MergedFields = ParsedFilename & TeachingText

/**
 * What a recording is to be called: corrected fields win over form fields, those over the file name. A corrected
 * field wins even when it is empty; an empty form field leaves the word to the name.
 */
export function mergeFields(
  filename: string,
  { entered = {}, corrected = {} }: { entered?: SomeFields; corrected?: SomeFields },
): MergedFields {
  const parsed = parseFilename(filename)
  const fields = textOf(parsed)
  for (const name of wordNames) {
    const written = entered[name]?.trim()
    if (written) fields[name] = written
    if (corrected[name] !== undefined) fields[name] = corrected[name].trim()
  }
  const isValid = teachingFields.safeParse(fields).success
  // The name's faults are the answer only while the fields do not stand on their own.
  return { ...fields, isValid, errors: isValid ? [] : parsed.errors }
}

/**
 * Checks merged fields by SPEC §5, in its order.
 *
 * @throws Problem `invalid_input` with the sentence, and the merged fields as `parsedData`
 */
export function checkFields(merged: MergedFields): TeachingFields {
  const checked = teachingFields.safeParse(merged)
  if (checked.success) return checked.data
  const issues = [...checked.error.issues].sort((a, b) => rank(a.path[0]) - rank(b.path[0]))
  throw new Problem('invalid_input', issues[0]!.message, { parsedData: merged })
}

/** Reads form fields by the same lengths as everywhere. */
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

/** SPEC §5 'Submit checks, in order': speaker, title or scripture, date. */
const order = ['speaker', 'title', 'scriptureReference', 'date']
const rank = (field: PropertyKey | undefined) =>
  order.includes(String(field)) ? order.indexOf(String(field)) : order.length
