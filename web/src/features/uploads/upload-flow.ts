import { emptyText, firstWords } from '@fellowship/schema/teachings/teaching-words'
import type { Notice } from '@fellowship/schema/notice'
import type { EnteredFields, ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { fieldOfProblem, firstSubmitProblem } from '@fellowship/schema/uploads/submit-checks'
import { uploadTexts as texts } from '@fellowship/schema/uploads/uploads.texts'
import type { RecordingTags } from '@fellowship/sound/read/metadata'
import { uploadTimings } from '../../ui/timings.ts'
import type { ToastMessage } from '../../ui/toast.ts'
import { isSameFile, isTooLarge, noticeOfRefused, refusalOf, type RefusedFile } from './upload-file-checks.ts'
import { isCaptions, placeCaptions } from './dropped-captions.ts'
import {
  corrected,
  isInProgress,
  readable,
  restored,
  tagged,
  withDate,
  type Draft,
  type DraftProblem,
} from './draft.ts'

/** The state of the upload form: a draft for each chosen file, until it is in the upload queue. */
export interface UploadFlow {
  drafts: readonly Draft[]
  /** The chosen files that cannot be uploaded, until they are removed. */
  refused: readonly RefusedFile[]
  /** The draft whose fields are shown if there are several. */
  openId: number | undefined
  /** The id of the last draft or refused file: ids are never reused, so a late response cannot match another draft. */
  lastId: number
}

export type UploadFlowEvent =
  | { type: 'chosen'; files: readonly File[] }
  | { type: 'parsed'; id: number; parsed: ParsedFilename }
  | { type: 'parseFailed'; id: number }
  /** The tags of the file; they fill only fields that the name left empty. */
  | { type: 'tagsRead'; id: number; tags: RecordingTags }
  | { type: 'edited'; id: number; field: keyof EnteredFields; value: string }
  | { type: 'captionsChosen'; id: number; captions: File | undefined }
  | { type: 'handoutsChosen'; id: number; handouts: readonly File[] }
  /** A dropped file of captions has a fault. */
  | { type: 'captionsUnreadable'; id: number; captions: File; fault: string }
  /** The words that were typed for this file before. */
  | { type: 'restored'; id: number; words: Partial<EnteredFields>; at: number }
  /** They are not wanted: the name is parsed again. */
  | { type: 'discarded'; id: number }
  | { type: 'smallerWanted'; id: number }
  | { type: 'smallerShare'; id: number; share: number }
  | { type: 'madeSmaller'; id: number; file: File }
  | { type: 'notMadeSmaller'; id: number }
  /** Stops making the file smaller, or restores the chosen file. */
  | { type: 'originalWanted'; id: number }
  /** The sound of the file was read, or it has none. */
  | { type: 'soundRead'; id: number; isRecording: boolean }
  | { type: 'opened'; id: number }
  /** Removes a draft or a refused file. */
  | { type: 'removed'; id: number }
  | { type: 'submitted' }
  | { type: 'checked'; id: number; outcome: CheckOutcome }
  /** The draft is in the upload queue, which lists it from then on. */
  | { type: 'saved'; id: number }
  /** No message if one was shown already. */
  | { type: 'notSaved'; id: number; message?: string }
  | { type: 'cleared' }

export type CheckOutcome =
  | { kind: 'new' }
  /** With the path of the existing teaching, if it is known. */
  | { kind: 'duplicate'; message: string; path?: string | undefined }
  | { kind: 'issues'; parsed: ParsedFilename }
  | { kind: 'failed' }

export type UploadEffect =
  | { type: 'parse'; id: number; file: File }
  | { type: 'check'; id: number; file: File; fields: EnteredFields }
  | ({ type: 'save'; fields: EnteredFields } & Pick<Draft, 'id' | 'file' | 'captions' | 'handouts'>)
  | { type: 'readCaptions'; id: number; captions: File }
  | { type: 'makeSmaller'; id: number; file: File }
  | { type: 'stopMaking'; id: number }
  | { type: 'toast'; toast: ToastMessage }

export const noUpload: UploadFlow = { drafts: [], refused: [], openId: undefined, lastId: 0 }

type Next = readonly [UploadFlow, ...UploadEffect[]]

/** The reducer: the new state and the effects to run. */
export function advance(flow: UploadFlow, event: UploadFlowEvent): Next {
  if (!('id' in event)) return isBusy(flow) ? [flow] : advanceAll(flow, event)
  const draft = flow.drafts.find(({ id }) => id === event.id)
  if (draft) return advanceOne(flow, draft, event)
  if (event.type !== 'removed') return [flow]
  return [{ ...flow, refused: flow.refused.filter(({ id }) => id !== event.id) }]
}

function advanceAll(flow: UploadFlow, event: Exclude<UploadFlowEvent, { id: number }>): Next {
  switch (event.type) {
    case 'chosen':
      return chosen(flow, event.files)
    case 'submitted':
      return submitted(flow)
    case 'cleared':
      return [{ ...noUpload, lastId: flow.lastId }, ...flow.drafts.flatMap(stopOf)]
  }
}

function advanceOne(flow: UploadFlow, draft: Draft, event: Extract<UploadFlowEvent, { id: number }>): Next {
  switch (event.type) {
    case 'opened':
      return [{ ...flow, openId: flow.openId === event.id ? undefined : event.id }]
    case 'soundRead':
      return [put(flow, { ...draft, isNoRecording: !event.isRecording })]
    case 'parsed':
      return [put(flow, readable(draft, withDate(draft, event.parsed)))]
    case 'parseFailed':
      return [
        put(flow, readable(draft, { ...emptyText, isValid: false, errors: [texts.parseFailed] })),
        errorToast(texts.parsingFailed, uploadTimings.parseErrorToastMs),
      ]
    case 'tagsRead':
      return [put(flow, tagged(draft, event.tags))]
    case 'edited':
      return draft.fields && draft.step === 'editing' ? [put(flow, edited(draft, event))] : [flow]
    case 'captionsChosen':
      return isInProgress(draft) ? [flow] : [put(flow, { ...draft, captions: event.captions })]
    case 'handoutsChosen':
      return isInProgress(draft) ? [flow] : [put(flow, { ...draft, handouts: event.handouts })]
    case 'captionsUnreadable':
      return isInProgress(draft) || draft.captions !== event.captions
        ? [flow]
        : captionsUnreadable(flow, draft, event)
    case 'restored':
      return [put(flow, restored(draft, event.words, event.at))]
    case 'discarded':
      return isInProgress(draft)
        ? [flow]
        : [
            put(flow, { ...draftOf(draft.id, draft.file), original: draft.original }),
            { type: 'parse', id: draft.id, file: draft.file },
          ]
    case 'removed':
      return isInProgress(draft) ? [flow] : [without(flow, draft), ...stopOf(draft)]
    case 'smallerWanted':
      return isInProgress(draft) || draft.making !== undefined
        ? [flow]
        : [
            put(flow, { ...draft, making: 0, problem: besidesSize(draft) }),
            { type: 'makeSmaller', id: draft.id, file: draft.file },
          ]
    case 'smallerShare':
      return [draft.making === undefined ? flow : put(flow, { ...draft, making: event.share })]
    case 'madeSmaller':
      return draft.making === undefined
        ? [flow]
        : continueSubmit(flow, { ...draft, file: event.file, original: draft.file, making: undefined })
    case 'notMadeSmaller':
      return draft.making === undefined
        ? [flow]
        : [
            again(flow, { ...draft, making: undefined, waits: false }),
            errorToast(texts.notMadeSmaller(draft.file.name)),
          ]
    case 'originalWanted':
      return isInProgress(draft) ? [flow] : originalOf(flow, draft)
    case 'checked':
      return draft.step === 'checking' ? checked(flow, draft, event.outcome) : [flow]
    case 'saved':
      return [without(flow, draft)]
    case 'notSaved':
      return [
        again(flow, { ...draft, step: 'editing' }),
        ...(event.message === undefined ? [] : [errorToast(texts.failed(event.message))]),
      ]
  }
}

/** The draft's problem, unless that is the size. */
const besidesSize = ({ problem }: Draft) => (problem?.field || problem?.duplicate ? problem : null)

const stopOf = ({ id, making }: Draft): UploadEffect[] =>
  making === undefined ? [] : [{ type: 'stopMaking', id }]

function originalOf(flow: UploadFlow, draft: Draft): Next {
  const { file, original = file } = draft
  const taken = { ...draft, file: original, original: undefined, making: undefined, waits: false }
  return [put(flow, taken), ...stopOf(draft)]
}

/** Sends a draft that was submitted while its file was being made smaller. */
function continueSubmit(flow: UploadFlow, draft: Draft): Next {
  if (!draft.waits) return [put(flow, draft)]
  const [next, ...effects] = submittedOne({ ...draft, waits: false })
  return [put(flow, next), ...effects]
}

function edited(draft: Draft, { field, value }: Extract<UploadFlowEvent, { type: 'edited' }>): Draft {
  const fields = draft.fields && { ...draft.fields, [field]: value }
  const mended = draft.problem?.duplicate
    ? // The fields that identify a teaching.
      firstWords.some((name) => name === field)
    : // A scripture makes up for a missing title.
      draft.problem?.field === (field === 'scriptureReference' ? 'title' : field)
  const typed = { ...draft.typed, [field]: value }
  return { ...draft, fields, typed, problem: mended ? null : draft.problem }
}

export const isBusy = ({ drafts }: UploadFlow): boolean => drafts.some(isInProgress)

function chosen(flow: UploadFlow, files: readonly File[]): Next {
  let { lastId } = flow
  const drafts: Draft[] = []
  const refused: RefusedFile[] = []
  for (const file of files) {
    const { name, size } = file
    const why = isCaptions(file) ? undefined : refusalOf(file)
    if (why) refused.push({ id: (lastId += 1), name, size, why })
    else if (
      !isCaptions(file) &&
      ![...flow.drafts, ...drafts].some((draft) => isSameFile(draft.original ?? draft.file, file))
    )
      drafts.push(draftOf((lastId += 1), file))
  }
  const { placed, left } = placeCaptions(files.filter(isCaptions), [...flow.drafts, ...drafts], flow.openId)
  for (const { file, why } of left) refused.push({ id: (lastId += 1), name: file.name, size: file.size, why })
  const notice = noticeOfRefused(refused, files.length === 1)
  // If a rejected file is chosen again, perhaps repaired, only the new result counts.
  const others = flow.refused.filter(({ name }) => files.every((file) => file.name !== name))
  const all = [...flow.drafts, ...drafts].map((draft) => ({
    ...draft,
    captions: placed.findLast(({ id }) => id === draft.id)?.captions ?? draft.captions,
  }))
  return [
    { ...flow, lastId, drafts: all, refused: [...others, ...refused] },
    ...drafts.map(({ id, file }): UploadEffect => ({ type: 'parse', id, file })),
    ...placed.flatMap(({ id, recording, captions }): UploadEffect[] => [
      { type: 'readCaptions', id, captions },
      { type: 'toast', toast: texts.captionsAdded(captions.name, recording) },
    ]),
    ...(notice ? [errorToast(notice)] : []),
  ]
}

function captionsUnreadable(
  flow: UploadFlow,
  draft: Draft,
  { captions: { name, size }, fault }: Extract<UploadFlowEvent, { type: 'captionsUnreadable' }>,
): Next {
  const lastId = flow.lastId + 1
  const refused: RefusedFile = { id: lastId, name, size, why: 'captionsUnreadable', fault }
  return [
    { ...put(flow, { ...draft, captions: undefined }), lastId, refused: [...flow.refused, refused] },
    errorToast(texts.failed(`${name}: ${fault}`)),
  ]
}

const draftOf = (id: number, file: File): Draft => ({
  id,
  file,
  step: 'parsing',
  fields: null,
  parse: null,
  problem: null,
  withoutCheck: false,
})

/**
 * The drafts that a submit sends. Of several, those without sound stay behind; the only one is sent, as the server has the last
 * word about it.
 */
export const submittable = ({ drafts }: UploadFlow): readonly Draft[] =>
  drafts.length > 1 ? drafts.filter(({ isNoRecording }) => !isNoRecording) : drafts

function submitted(flow: UploadFlow): Next {
  const wanted = new Set(submittable(flow))
  if (wanted.size === 0) return [flow, errorToast(texts.noFile)]
  const effects: UploadEffect[] = []
  const incomplete: { id: number; notice: Notice }[] = []
  const drafts = flow.drafts.map((draft): Draft => {
    if (!wanted.has(draft)) return draft
    const notice = problemOfDraft(draft)
    if (notice) incomplete.push({ id: draft.id, notice })
    if (notice) return { ...draft, problem: problemFrom(notice) }
    if (draft.making !== undefined) return { ...draft, problem: null, waits: true }
    const [next, ...its] = submittedOne(draft)
    effects.push(...its)
    return next
  })
  // Complete drafts are sent; the others stay, with the first of them open.
  const [first] = incomplete
  if (!first) return [{ ...flow, drafts }, ...effects]
  return [{ ...flow, drafts, openId: first.id }, ...effects, errorToast(first.notice)]
}

function problemOfDraft({ file, fields, making }: Draft): Notice | null {
  const notice = firstSubmitProblem({ file, parsedData: fields })
  if (notice || making !== undefined) return notice
  return isTooLarge(file) ? texts.smallerFirst(file.name) : null
}

/** A complete draft with the effect that sends it; if it became incomplete while it waited, it stays, marked. */
function submittedOne(draft: Draft): readonly [Draft, ...UploadEffect[]] {
  const { id, file, fields, withoutCheck } = draft
  const notice = problemOfDraft(draft)
  if (notice || !fields) return [{ ...draft, problem: notice && problemFrom(notice) }]
  return [
    { ...draft, problem: null, step: withoutCheck ? 'saving' : 'checking' },
    withoutCheck ? saveOf(draft, fields) : { type: 'check', id, file, fields },
  ]
}

const saveOf = ({ id, file, captions, handouts }: Draft, fields: EnteredFields): UploadEffect => ({
  type: 'save',
  id,
  file,
  fields,
  captions,
  handouts,
})

const problemFrom = (notice: Notice): DraftProblem => ({
  field: fieldOfProblem(notice),
  title: notice.title,
  message: notice.description,
})

function checked(flow: UploadFlow, draft: Draft, outcome: CheckOutcome): Next {
  const editing: Draft = { ...draft, step: 'editing' }
  switch (outcome.kind) {
    case 'new':
      return draft.fields
        ? [put(flow, { ...draft, step: 'saving' }), saveOf(draft, draft.fields)]
        : [put(flow, editing)]
    case 'duplicate':
      return duplicate(flow, editing, outcome)
    case 'issues':
      return [again(flow, corrected(editing, outcome.parsed)), errorToast(texts.parsingIssuesFound)]
    case 'failed':
      return [again(flow, { ...editing, withoutCheck: true }), errorToast(texts.duplicateCheckFailed)]
  }
}

function duplicate(
  flow: UploadFlow,
  draft: Draft,
  { message, path }: Extract<CheckOutcome, { kind: 'duplicate' }>,
): Next {
  const notice = texts.duplicateFound(message)
  const problem = { ...problemFrom(notice), duplicate: { path } }
  return [again(flow, { ...draft, problem }), errorToast(notice)]
}

const put = (flow: UploadFlow, draft: Draft): UploadFlow => ({
  ...flow,
  drafts: flow.drafts.map((each) => (each.id === draft.id ? draft : each)),
})

/** Opens the draft for correction. */
const again = (flow: UploadFlow, draft: Draft): UploadFlow => ({ ...put(flow, draft), openId: draft.id })

const without = (flow: UploadFlow, { id }: Draft): UploadFlow => ({
  ...flow,
  drafts: flow.drafts.filter((each) => each.id !== id),
})

const errorToast = (notice: { title: string; description: string }, displayMs?: number): UploadEffect => ({
  type: 'toast',
  toast: { ...notice, kind: 'destructive', ...(displayMs !== undefined && { displayMs }) },
})
