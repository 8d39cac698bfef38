import { church } from '@fellowship/schema/church'
import { churchDate, plainDateAt } from '@fellowship/schema/dates'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { offeredDates } from '@fellowship/schema/uploads/offered-date'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { Link } from '@tanstack/react-router'
import { ChevronDown, CircleCheck, FileAudio, TriangleAlert, X } from 'lucide-react'
import { useCallback, useEffect, useId, useRef } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { shortName } from '../../lib/short-name.ts'
import { Banner } from '../../ui/banner.tsx'
import { FormNotes } from '../../ui/form-notes.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyPart, optional } from '../../ui/lazy-part.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { mayBecomeSmaller, sizeOf } from './upload-file-checks.ts'
import { type Draft, isInProgress, type DraftProblem as Problem, refusalOfRecording } from './draft.ts'
import { shortDate } from './short-date.ts'
import { UploadFields } from './upload-fields.tsx'
import type { UploadFlowEvent } from './upload-flow.ts'

const SmallerOffer = lazyPart(() => import('./smaller/smaller-offer.tsx'), 'SmallerOffer')
const CaptionField = lazyPart(() => import('../transcripts/caption-field.tsx'), 'CaptionField', optional)
const HandoutChoice = lazyPart(() => import('../handouts/handout-choice.tsx'), 'HandoutChoice', optional)
const SoundCheck = lazyPart(() => import('./sound/sound-check.tsx'), 'SoundCheck')

interface UploadDraftProps {
  draft: Draft
  /** Whether its fields can be collapsed: it is one of several drafts. */
  folds: boolean
  open: boolean
  speakers: readonly string[]
  send: (event: UploadFlowEvent) => void
}

/** One chosen recording: its file, the result of parsing its name, and the editable fields. */
export function UploadDraft({ draft, folds, open, speakers, send }: UploadDraftProps) {
  const bodyId = useId()
  const { id, file, step, fields, parse } = draft
  const locked = isInProgress(draft)
  const item = useRef<HTMLLIElement>(null)
  const { problem } = draft
  useEffect(() => {
    if (problem && open) item.current?.querySelector<HTMLElement>('[aria-invalid], [data-refusal]')?.focus()
  }, [problem, open])
  const refusal = refusalOfRecording(draft)
  const name = <DraftName draft={draft} />
  const noteSound = useCallback(
    (isRecording: boolean) => send({ type: 'soundRead', id, isRecording }),
    [send, id],
  )
  return (
    <li
      ref={item}
      className={classNames(
        'flex flex-col gap-4 rounded-card border p-3',
        problem ? 'border-brick' : 'border-line',
      )}
    >
      <div className="flex items-start gap-2">
        {folds ? (
          <button
            type="button"
            aria-expanded={open}
            aria-controls={bodyId}
            className="flex min-w-0 grow items-start gap-3"
            onClick={() => send({ type: 'opened', id })}
          >
            {name}
            <ChevronDown className={classNames('mt-0.5 size-5 shrink-0 text-soft', open && 'rotate-180')} />
          </button>
        ) : (
          <div className="flex min-w-0 grow items-start gap-3">{name}</div>
        )}
        {!locked && (
          <IconButton
            label={`Remove ${file.name}`}
            icon={X}
            className="-mt-2 -mr-2"
            onClick={() => send({ type: 'removed', id })}
          />
        )}
      </div>
      {step === 'parsing' && (
        <output className="flex items-center gap-3 text-small text-soft">
          <Spinner size="small" />
          Reading the file name…
        </output>
      )}
      {(draft.original ?? (!locked && mayBecomeSmaller(file))) && <SmallerOffer draft={draft} send={send} />}
      {/* The line is reserved from the start: a verdict that pushed the fields down would make a press miss its button. */}
      <div className="min-h-6">
        <SoundCheck file={draft.original ?? file} sent={file} onRead={noteSound} />
      </div>
      {(open || !folds) && fields && parse && (
        <div id={bodyId} className="flex flex-col gap-5">
          {refusal ? <DraftProblem problem={refusal} /> : <ParseStatus {...parse} />}
          <FormNotes draft={{ at: draft.restoredAt, discard: () => send({ type: 'discarded', id }) }} />
          <UploadFields
            fields={fields}
            disabled={locked}
            problem={draft.problem}
            speakers={speakers}
            dates={datesFor(file)}
            onEdit={(field, value) => send({ type: 'edited', id, field, value })}
          />
          <CaptionField
            label="Text of the recording"
            optional
            disabled={locked}
            chosen={draft.captions}
            onChosen={(captions) => send({ type: 'captionsChosen', id, captions })}
          />
          <HandoutChoice
            disabled={locked}
            chosen={draft.handouts}
            onChosen={(handouts) => send({ type: 'handoutsChosen', id, handouts })}
          />
        </div>
      )}
    </li>
  )
}

/** The known fields and the file; its mark shows whether something needs to be checked. */
function DraftName({ draft }: { draft: Draft }) {
  const { file, fields, parse, isNoRecording } = draft
  const isFine = parse?.isValid === true && !isNoRecording && !refusalOfRecording(draft)
  const Icon = isFine ? CircleCheck : parse || isNoRecording ? TriangleAlert : FileAudio
  const tone = refusalOfRecording(draft) ? 'text-brick' : isFine ? 'text-leaf' : 'text-wheat-text'
  const headline = fields ? headlineOf(fields) : ''
  return (
    <>
      <Icon className={classNames('mt-0.5 size-5 shrink-0', tone)} />
      <span className="min-w-0 grow text-left">
        {headline !== '' && (
          <span className="block font-serif text-lg leading-snug wrap-anywhere">{headline}</span>
        )}
        <span
          className={classNames(
            'block wrap-anywhere',
            headline === '' ? 'text-base font-medium' : 'text-small text-soft',
          )}
        >
          {shortName(file.name)}{' '}
          <span className="text-small whitespace-nowrap text-soft">{sizeOf(file.size)}</span>
        </span>
      </span>
    </>
  )
}

/** The known fields: 'The Faithful Shepherd · John Smith · 4 Oct'; empty without any. */
const headlineOf = ({ title, scriptureReference, speaker, date }: EnteredFields): string =>
  [withSpaces(title) || scriptureReference, speaker, shortDate(date)].filter(Boolean).join(' · ')

/** In the church's time zone, like the dates of teachings. */
const datesFor = ({ lastModified }: File) =>
  offeredDates(plainDateAt(new Date(lastModified), church().timeZone), churchDate(new Date()))

/** The reason why a recording was not sent, in place of the parse result. It stays, while a toast announces it. */
function DraftProblem({ problem }: { problem: Problem }) {
  const { title, message, duplicate } = problem
  return (
    // It takes the focus like an invalid field, because the pressed button is far below.
    <div data-refusal="" tabIndex={-1} className="scroll-my-4 rounded-card">
      <Banner tone="brick" title={title} icon={TriangleAlert} toasted>
        <p className="text-small wrap-anywhere">{message}</p>
        {duplicate?.path !== undefined && (
          <Link
            to="/$"
            params={{ _splat: duplicate.path.slice(1) }}
            className="inline-flex min-h-11 items-center text-small font-medium text-pine underline underline-offset-4"
          >
            Show it in the library
          </Link>
        )}
      </Banner>
    </div>
  )
}

function ParseStatus({ isValid, errors }: { isValid: boolean; errors: readonly string[] }) {
  if (isValid) {
    return <Banner tone="leaf" title={uploadTexts.parsed} icon={CircleCheck} />
  }
  return (
    <Banner tone="wheat" title={uploadTexts.parsingIssues} icon={TriangleAlert}>
      <ul className="mt-1 space-y-2 text-small">
        {errors.map((error) => (
          <li key={error} className="break-words">
            {error}
          </li>
        ))}
      </ul>
    </Banner>
  )
}
