import { problems } from '@fellowship/schema/problem'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import type { EnteredFields, ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { firstSubmitProblem, looksLikeAudio } from '@fellowship/schema/uploads/submit-checks'
import { uploadTexts as texts } from '@fellowship/schema/uploads/uploads.texts'
import { uploadTimings } from '../../ui/timings.ts'
import type { ToastMessage } from '../../ui/toast.ts'

/** SPEC §4 'Upload flow': where one upload stands. */
export interface UploadFlow {
  step: 'empty' | 'parsing' | 'editing' | 'checking' | 'uploading'
  file: File | null
  /** null until the file name has been read, or has failed to be read. */
  fields: EnteredFields | null
  /** What reading the name gave: nothing wrong, or sentences to correct by. */
  parse: { isValid: boolean; errors: readonly string[] } | null
  /** The share of the bytes that has left, 0 to 1. */
  progress: number
  /** The duplicate check could not be made: the next submit goes without it, the server checks again anyway. */
  withoutCheck: boolean
  /** Counts the files chosen: an answer about an earlier one is not for this one. */
  turn: number
}

export type UploadEvent =
  | { type: 'chosen'; file: File }
  | { type: 'parsed'; turn: number; parsed: ParsedFilename }
  | { type: 'parseFailed'; turn: number }
  | { type: 'edited'; field: keyof EnteredFields; value: string }
  | { type: 'submitted' }
  | { type: 'checked'; turn: number; outcome: CheckOutcome }
  | { type: 'progressed'; turn: number; share: number }
  | { type: 'finished'; turn: number; outcome: UploadOutcome }
  | { type: 'cleared' }

export type CheckOutcome =
  | { kind: 'new' }
  | { kind: 'duplicate'; message: string }
  | { kind: 'issues'; parsed: ParsedFilename }
  | { kind: 'failed' }
  /** Signed out: what leads to the sign-in speaks for itself. */
  | { kind: 'unauthorized' }

export type UploadOutcome =
  | { kind: 'done'; teaching: Teaching }
  /** The server took it, but its answer does not name the teaching. */
  | { kind: 'incomplete' }
  | { kind: 'duplicate' }
  | { kind: 'timeout' }
  | { kind: 'failed'; message: string }
  | { kind: 'unauthorized' }

export type UploadEffect =
  | { type: 'parse'; turn: number; file: File }
  | { type: 'check'; turn: number; file: File; fields: EnteredFields }
  | { type: 'upload'; turn: number; file: File; fields: EnteredFields }
  | { type: 'toast'; toast: ToastMessage }
  /** The list may have grown; `teaching` where it is known. */
  | { type: 'added'; teaching: Teaching | null }

export const noUpload: UploadFlow = {
  step: 'empty',
  file: null,
  fields: null,
  parse: null,
  progress: 0,
  withoutCheck: false,
  turn: 0,
}

type Next = readonly [UploadFlow, ...UploadEffect[]]

/** What follows from an event: the new state, and what is to be done in the world. */
export function advance(flow: UploadFlow, event: UploadEvent): Next {
  if ('turn' in event && event.turn !== flow.turn) return [flow]
  switch (event.type) {
    case 'chosen':
      return busy(flow) ? [flow] : chosen(flow, event.file)
    case 'parsed':
      return [readable(flow, event.parsed)]
    case 'parseFailed':
      return [
        readable(flow, { ...emptyFields, isValid: false, errors: [texts.parseFailed] }),
        complain(texts.parsingFailed, uploadTimings.parseErrorToastMs),
      ]
    case 'edited':
      return flow.fields && !busy(flow)
        ? [{ ...flow, fields: { ...flow.fields, [event.field]: event.value } }]
        : [flow]
    case 'submitted':
      return busy(flow) ? [flow] : submitted(flow)
    case 'checked':
      return flow.step === 'checking' ? checked(flow, event.outcome) : [flow]
    case 'progressed':
      return flow.step === 'uploading' ? [{ ...flow, progress: event.share }] : [flow]
    case 'finished':
      return flow.step === 'uploading' ? finished(flow, event.outcome) : [flow]
    case 'cleared':
      return busy(flow) ? [flow] : [reset(flow)]
  }
}

/** While the server is asked, nothing else may be changed. */
export const busy = ({ step }: UploadFlow): boolean => step === 'checking' || step === 'uploading'

function chosen(flow: UploadFlow, file: File): Next {
  if (!looksLikeAudio(file)) return [flow, complain(texts.invalidFileType)]
  if (file.size > maxUploadBytes) return [flow, complain(texts.failed(problems.too_large.sentence))]
  const turn = flow.turn + 1
  return [
    { ...noUpload, step: 'parsing', file, turn },
    { type: 'parse', turn, file },
  ]
}

function readable(flow: UploadFlow, { isValid, errors, ...fields }: ParsedFilename): UploadFlow {
  return { ...flow, step: 'editing', fields, parse: { isValid, errors } }
}

function submitted(flow: UploadFlow): Next {
  const { file, fields, turn } = flow
  const problem = firstSubmitProblem({ file, parsedData: fields })
  if (problem || !file || !fields) return problem ? [flow, complain(problem)] : [flow]
  return flow.withoutCheck
    ? uploading(flow, file, fields)
    : [
        { ...flow, step: 'checking' },
        { type: 'check', turn, file, fields },
      ]
}

function checked(flow: UploadFlow, outcome: CheckOutcome): Next {
  const again: UploadFlow = { ...flow, step: 'editing' }
  switch (outcome.kind) {
    case 'new':
      return flow.file && flow.fields ? uploading(flow, flow.file, flow.fields) : [again]
    case 'duplicate':
      return [again, complain(texts.duplicateFound(outcome.message))]
    case 'issues':
      return [corrected(again, outcome.parsed), complain(texts.parsingIssuesFound)]
    case 'failed':
      return [{ ...again, withoutCheck: true }, complain(texts.duplicateCheckFailed)]
    case 'unauthorized':
      return [again]
  }
}

function uploading(flow: UploadFlow, file: File, fields: EnteredFields): Next {
  return [
    { ...flow, step: 'uploading', progress: 0 },
    { type: 'upload', turn: flow.turn, file, fields },
  ]
}

function finished(flow: UploadFlow, outcome: UploadOutcome): Next {
  const again: UploadFlow = { ...flow, step: 'editing', progress: 0 }
  switch (outcome.kind) {
    case 'done':
      return [reset(flow), success(outcome.teaching), { type: 'added', teaching: outcome.teaching }]
    case 'incomplete':
      return [reset(flow), { type: 'toast', toast: texts.completedUnseen }, { type: 'added', teaching: null }]
    case 'duplicate':
      return [reset(flow), complain(texts.duplicate)]
    case 'timeout':
      return [again, complain(texts.timeout), { type: 'added', teaching: null }]
    case 'failed':
      return [again, complain(texts.failed(outcome.message))]
    case 'unauthorized':
      return [again]
  }
}

/** What a person has entered stays; only what is empty is filled in. */
function corrected(flow: UploadFlow, { isValid, errors, ...read }: ParsedFilename): UploadFlow {
  const entered = flow.fields ?? emptyFields
  const fields = {
    title: entered.title || read.title,
    speaker: entered.speaker || read.speaker,
    scriptureReference: entered.scriptureReference || read.scriptureReference,
    date: entered.date || read.date,
  }
  return { ...flow, fields, parse: { isValid, errors } }
}

const emptyFields: EnteredFields = { title: '', speaker: '', scriptureReference: '', date: '' }

const reset = ({ turn }: UploadFlow): UploadFlow => ({ ...noUpload, turn: turn + 1 })

const complain = (notice: { title: string; description: string }, displayMs?: number): UploadEffect => ({
  type: 'toast',
  toast: { ...notice, kind: 'destructive', ...(displayMs !== undefined && { displayMs }) },
})

const success = ({ title, scriptureReference }: Teaching): UploadEffect => ({
  type: 'toast',
  toast: {
    title: texts.uploaded,
    description: title.replaceAll('_', ' ').trim() || (scriptureReference ?? ''),
    displayMs: uploadTimings.successToastMs,
  },
})
