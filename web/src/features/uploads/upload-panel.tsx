import { counted } from '@fellowship/schema/counted'
import { maxUploadMegabytes } from '@fellowship/schema/uploads/uploads.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { TriangleAlert, Upload, X } from 'lucide-react'
import { type DragEvent, useEffect, useId, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { listen } from '../../lib/listen.ts'
import { shortName } from '../../lib/short-name.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Card } from '../../ui/card.view.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { sizeOf, type RefusedFile, wordsOfRefusal } from './upload-file-checks.ts'
import { isSending } from './queue-words.ts'
import { useDateQuestion } from './date-question.list.ts'
import { UploadDraft } from './upload-draft.tsx'
import { isBusy, submittable, type UploadFlow } from './upload-flow.ts'
import { UploadQueue } from './upload-queue.tsx'
import { useKnownSpeakers } from './use-known-speakers.ts'
import { useQueue, useWakeLock } from './use-queue.ts'
import { useUploadFlow } from './use-upload-flow.ts'
import './upload-panel.css'

interface UploadPanelProps {
  userId: number
  /** False if the user closed the panel; undefined shows it if it has something to show. */
  open: boolean | undefined
  /** Called when a recording was, or may have been, added to the library; null if the teaching is unknown. */
  onAdded: (teaching: Teaching | null) => void
}

export function UploadPanel({ userId, open, onAdded }: UploadPanelProps) {
  const { flow, send } = useUploadFlow(userId, onAdded)
  const jobs = useQueue(userId)
  useWakeLock(jobs.some(isSending) || flow.drafts.some(({ making }) => making !== undefined))
  const speakers = useKnownSpeakers()
  // A draft that is being saved is listed in the queue already.
  const drafts = flow.drafts.filter(({ step }) => step !== 'saving')
  const { refused } = flow
  const { ask, question } = useDateQuestion()
  const chosen = flow.drafts.length > 0
  const busy = isBusy(flow) || (!chosen && jobs.some(isSending))
  return (
    <section
      aria-labelledby="upload-title"
      data-upload=""
      hidden={!(open ?? (chosen || refused.length > 0 || jobs.length > 0))}
      className="max-lg:mb-6 lg:self-start"
    >
      <Card className="p-[min(1.5rem,7.5vw)] max-sm:mx-[max(-.75rem,-4vw)]">
        <h2 id="upload-title" className="text-2xl">
          Upload Teaching
        </h2>
        {/* Running uploads come first. */}
        <UploadQueue jobs={jobs} userId={userId} />
        <form
          noValidate
          className="mt-5 flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault()
            ask(
              drafts.map(({ fields }) => fields?.date ?? ''),
              () => send({ type: 'submitted' }),
            )
          }}
        >
          <DropZone
            small={drafts.length > 0 || jobs.length > 0}
            again={drafts.length > 0}
            disabled={isBusy(flow)}
            onFiles={(files) => send({ type: 'chosen', files })}
          />
          <RefusedFiles refused={refused} onRemove={(id) => send({ type: 'removed', id })} />
          {drafts.length > 0 && (
            <ul aria-label="Chosen recordings" className="flex flex-col gap-3">
              {drafts.map((draft) => (
                <UploadDraft
                  key={draft.id}
                  draft={draft}
                  folds={drafts.length > 1}
                  open={flow.openId === draft.id}
                  speakers={speakers}
                  send={send}
                />
              ))}
            </ul>
          )}
          <Button type="submit" pending={busy}>
            {submitLabel(flow, busy)}
          </Button>
          {(drafts.length > 0 || refused.length > 1) && !isBusy(flow) && (
            <Button kind="quiet" onClick={() => send({ type: 'cleared' })}>
              Clear
            </Button>
          )}
        </form>
        {question && <ConfirmDialog {...question} />}
        {!chosen && jobs.length === 0 && <NamingHelp />}
      </Card>
    </section>
  )
}

function submitLabel(flow: UploadFlow, busy: boolean): string {
  const { drafts } = flow
  if (drafts.some(({ step }) => step === 'checking')) return 'Checking for duplicates...'
  if (busy) return 'Uploading...'
  const { length } = submittable(flow)
  return length > 1 ? `Upload ${counted(length, 'teaching')}` : 'Upload Teaching'
}

function NamingHelp() {
  return (
    <details className="mt-5 text-small text-soft">
      <summary className="min-h-6 font-medium text-pine">How to name the file</summary>
      <p className="mt-2">
        Named like this, the fields fill in by themselves. Title or scripture may be left out, not both.
      </p>
      <code className="mt-2 block rounded-card bg-sunk px-3 py-2 break-all">
        2026-11-22_John-Smith&quot;Hope in Christ&quot;_Romans_8_28-39.mp3
      </code>
    </details>
  )
}

interface DropZoneProps {
  /** Compact layout, once files are chosen. */
  small: boolean
  /** Whether files are chosen already. */
  again: boolean
  disabled: boolean
  onFiles: (files: readonly File[]) => void
}

/** A drop target for audio files that is also a file picker. */
function DropZone({ small, again, disabled, onFiles }: DropZoneProps) {
  const id = useId()
  const [over, setOver] = useState(false)
  // A phone has nothing to drop.
  const [canDrop] = useState(() => !matchMedia('(pointer: coarse)').matches)
  const asks = canDrop ? 'Drop an audio file here' : 'Choose an audio file'
  useNoStrayDrops()
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (!disabled) onFiles([...event.dataTransfer.files])
  }
  return (
    <div
      className={classNames(
        'relative flex items-center gap-2 rounded-card border-2 border-dashed px-5 text-center transition-colors',
        'has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-pine',
        'has-disabled:opacity-60',
        small ? 'min-h-14 justify-center py-3' : 'flex-col py-7',
        over ? 'border-pine bg-pine-tint' : 'border-line-strong hover:border-pine hover:bg-pine-tint',
      )}
    >
      <Upload
        className={classNames('shrink-0 text-wheat-text', small ? 'size-5' : 'size-8')}
        strokeWidth={1.5}
      />
      {small ? (
        <p id={`${id}-text`} className="text-small font-medium">
          {again ? 'Add more recordings' : asks}
        </p>
      ) : (
        <p id={`${id}-text`}>
          <span className="block font-medium">{asks}</span>
          <span className="text-small text-soft">
            {canDrop ? 'or choose one or several' : 'One or several'}: MP3, WAV or M4A, up to{' '}
            {maxUploadMegabytes} MB each
          </span>
        </p>
      )}
      {/* The transparent input covers the zone, so that it handles clicks, keys and drops. */}
      <input
        type="file"
        accept="audio/*"
        multiple
        disabled={disabled}
        aria-label="Audio file"
        aria-describedby={`${id}-text`}
        className="absolute inset-0 cursor-pointer opacity-0"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          // Without a reset, choosing a removed file again fires no change event.
          currentTarget.value = ''
        }}
        onDragEnter={() => setOver(!disabled)}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      />
    </div>
  )
}

/** Cancels drops outside the zone: the browser would navigate to the file and lose the form. */
function useNoStrayDrops(): void {
  useEffect(() => listen(window, ['dragover', 'drop'], (event) => event.preventDefault()), [])
}

interface RefusedFilesProps {
  refused: readonly RefusedFile[]
  onRemove: (id: number) => void
}

/** The chosen files that cannot be uploaded, with the reasons. Not announced, because a toast announces them once. */
function RefusedFiles({ refused, onRemove }: RefusedFilesProps) {
  if (refused.length === 0) return null
  return (
    <ul aria-label="Files that cannot be uploaded" className="flex flex-col gap-3">
      {refused.map(({ id, name, size, why, fault }) => (
        <li key={id} className="flex items-start gap-2 rounded-card border border-line p-3">
          <TriangleAlert className="mt-0.5 size-5 shrink-0 text-brick" />
          <div className="min-w-0 grow">
            <p className="font-medium wrap-anywhere">{shortName(name)}</p>
            {size > 0 && <p className="text-small text-soft">{sizeOf(size)}</p>}
            <p className="text-small font-medium text-brick">{wordsOfRefusal({ why, fault })}</p>
          </div>
          <IconButton
            label={`Remove ${name}`}
            icon={X}
            className="-mt-2 -mr-2"
            onClick={() => onRemove(id)}
          />
        </li>
      ))}
    </ul>
  )
}
