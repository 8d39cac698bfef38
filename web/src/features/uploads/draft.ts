import { eachWord, emptyText, textOf, type WordName } from '@fellowship/schema/teachings/teaching-words'
import type { EnteredFields, ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { dateInName } from '@fellowship/schema/uploads/offered-date'
import type { RecordingTags } from '@fellowship/sound/read/metadata'

/** A chosen file and its fields, until it is in the upload queue. */
export interface Draft {
  id: number
  file: File
  step: 'parsing' | 'editing' | 'checking' | 'saving'
  /** null until the file name is parsed, or if parsing failed. */
  fields: EnteredFields | null
  parse: { isValid: boolean; errors: readonly string[] } | null
  /** The field or file that the last submit rejected, until it is edited. */
  problem: DraftProblem | null
  /** The duplicate check failed: the next submit skips it, because the server checks again anyway. */
  withoutCheck: boolean
  /** Whether the file was found to be no recording. */
  isNoRecording?: boolean | undefined
  /** Progress of making the file smaller on this device, from 0 to 1; undefined if that is not running. */
  making?: number | undefined
  /** Submitted while the file is being made smaller: sent when that is done. */
  waits?: boolean
  /** The chosen file, if `file` is the smaller one made from it. */
  original?: File | undefined
  /** A file with the text of the recording. */
  captions?: File | undefined
  /** Files that become handouts of the teaching. */
  handouts?: readonly File[] | undefined
  /** The words that a person typed. They are stored until the recording is in the queue, as the file may be chosen again. */
  typed?: Partial<EnteredFields> | undefined
  /** When the stored words were typed that the fields began with, epoch milliseconds. */
  restoredAt?: number | undefined
}

export interface DraftProblem {
  /** Undefined if the problem is the recording itself. */
  field: WordName | undefined
  title: string
  message: string
  /** The library has this teaching, at this path if the answer contains it. */
  duplicate?: { path: string | undefined }
}

/** Whether the draft is being checked or saved and cannot be edited. */
export const isInProgress = ({ step }: Draft): boolean => step === 'checking' || step === 'saving'

/** The draft with the fields parsed from its name; clears the problem of an earlier submit. */
export function readable(draft: Draft, { isValid, errors, ...fields }: ParsedFilename): Draft {
  return { ...draft, step: 'editing', fields, parse: { isValid, errors }, problem: null }
}

/** The fields with the words that were typed for this file before. */
export const restored = (draft: Draft, typed: Partial<EnteredFields>, at: number): Draft => ({
  ...draft,
  fields: draft.fields && { ...draft.fields, ...typed },
  typed,
  restoredAt: at,
})

/** The problem of the recording itself: its size, or a duplicate in the library. */
export const refusalOfRecording = ({ problem }: Draft): DraftProblem | null =>
  problem && problem.field === undefined ? problem : null

/** A date in a format other than the convention's is accepted too. */
export const withDate = ({ file }: Draft, parsed: ParsedFilename): ParsedFilename => ({
  ...parsed,
  date: parsed.date || (dateInName(file.name) ?? ''),
})

/** Fills the empty fields of a draft from the tags of its file. */
export function tagged(draft: Draft, tags: RecordingTags): Draft {
  const { fields, step } = draft
  if (!fields || step !== 'editing') return draft
  const said = { title: fields.title || (fields.scriptureReference ? '' : (tags.title ?? '')) }
  return {
    ...draft,
    fields: {
      ...fields,
      ...said,
      speaker: fields.speaker || (tags.speaker ?? ''),
      date: fields.date || (tags.date ?? ''),
    },
  }
}

/** Fills in only the fields that are empty. */
export function corrected(draft: Draft, { isValid, errors, ...read }: ParsedFilename): Draft {
  const entered = draft.fields ?? emptyText
  const named = textOf(read)
  const fields = eachWord((name) => entered[name] || named[name])
  return { ...draft, fields, parse: { isValid, errors } }
}
