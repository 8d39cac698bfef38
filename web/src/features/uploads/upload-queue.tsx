import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { wordNames } from '@fellowship/schema/teachings/teaching-words'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import type { UploadJob as Job } from '@fellowship/sync/client/database/upload-database'
import { isCutOff, mayBePublished } from '@fellowship/sync/client/uploads/upload-jobs'
import { Pause, Play, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { holdAndAsk } from '../../lib/busy.ts'
import { classNames } from '../../lib/class-names.ts'
import { useOnline } from '../../lib/use-online.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/toast.ts'
import { useDeviceSync } from '../sync/use-device-sync.ts'
import { progressClass } from './progress-class.ts'
import { needsUser, progressWords, showsProgress, stateWords } from './queue-words.ts'
import {
  cancel,
  chooseFileAgain,
  confirm,
  correct,
  pause,
  publishPresent,
  resume,
  retry,
  takeOff,
} from './queue.device.ts'
import { useDateQuestion } from './date-question.list.ts'
import { UploadFields } from './upload-fields.tsx'

/** The upload jobs of this device, from the first copied byte to the library. */
export function UploadQueue({ jobs, userId }: { jobs: readonly Job[]; userId: number }) {
  const isOnline = useOnline()
  const inMemory = useDeviceSync()?.inMemory === true
  if (jobs.length === 0) return null
  const isCopying = jobs.some(({ state }) => state === 'copying')
  const isUnfinished = jobs.some(({ state }) => state !== 'done' && state !== 'lost')
  return (
    <section aria-label="On this device" className="mt-4 border-b border-line pb-5">
      <p className="font-serif text-lg">On this device</p>
      <output className="block text-small text-soft">
        {inMemory
          ? isUnfinished && texts.keepOpen
          : isCopying
            ? 'Keep this page open until everything is saved.'
            : isUnfinished && texts.mayClose}
      </output>
      <ul className="mt-4 flex flex-col gap-3">
        {jobs.map((job) => (
          <UploadJob key={job.id} job={job} isOnline={isOnline} userId={userId} />
        ))}
      </ul>
    </section>
  )
}

export function UploadJob({ job, isOnline, userId }: { job: Job; isOnline: boolean; userId: number }) {
  const [correcting, setCorrecting] = useState(false)
  const { id, state, paused, fields } = job
  const name = withSpaces(fields.title) || fields.scriptureReference || job.filename
  const isDone = state === 'done'
  const needs = needsUser(job)
  const canPause = !isDone && !needs && state !== 'finalizing' && state !== 'copying'
  return (
    <li className={classNames('rounded-card border p-4', needs ? 'border-wheat' : 'border-line')}>
      <div className="flex items-start gap-1">
        <div className="min-w-0 grow">
          <p className="text-base font-medium wrap-anywhere">{name}</p>
          <p className={classNames('text-small wrap-anywhere', toneOf(job))}>
            {needs && state !== 'blocked_auth' && <span className="font-semibold">{texts.attention}: </span>}
            {stateWords(job, isOnline)}
          </p>
        </div>
        {canPause && (
          <IconButton
            label={`${paused ? 'Go on with' : 'Pause'} ${name}`}
            className="-mt-2"
            onClick={() => void (paused ? resume(id) : pause(id))}
          >
            {paused ? <Play className="size-5" /> : <Pause className="size-5" />}
          </IconButton>
        )}
        {state !== 'finalizing' && (
          <IconButton
            label={`${isDone ? 'Take off the list' : 'Cancel'}: ${name}`}
            icon={X}
            kind={isDone ? 'plain' : 'danger'}
            className="-mt-2 -mr-2"
            onClick={() => void (isDone ? takeOff(id) : cancel(id))}
          />
        )}
      </div>
      <Progress job={job} name={name} />
      {job.unconfirmed ? (
        <Confirmation job={job} userId={userId} />
      ) : correcting ? (
        <Correction job={job} onClose={() => setCorrecting(false)} />
      ) : (
        <JobActions job={job} onCorrect={() => setCorrecting(true)} />
      )}
    </li>
  )
}

function toneOf(job: Job): string {
  if (job.state === 'done') return 'text-leaf'
  return needsUser(job) ? 'text-wheat-text' : 'text-soft'
}

function Progress({ job, name }: { job: Job; name: string }) {
  const words = progressWords(job)
  const { state, copied, acknowledged, size } = job
  const isCopying = state === 'copying'
  if (!showsProgress(job)) return null
  return (
    <div className="mt-2">
      <progress
        aria-label={`${isCopying ? 'Saving' : 'Upload'}: ${name}`}
        value={isCopying ? copied : acknowledged}
        max={size}
        className={progressClass}
      />
      {words !== '' && <p className="text-small text-soft tabular-nums">{words}</p>}
    </div>
  )
}

/** The actions for a failed job, and for correcting the fields of an unfinished one. */
function JobActions({ job, onCorrect }: { job: Job; onCorrect: () => void }) {
  const { state, lastError } = job
  const isLate = ['lost', 'copying'].includes(state) || mayBePublished(job)
  const cutOff = isCutOff(job)
  return (
    <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
      {state === 'lost' && <ChooseAgain job={job} />}
      {cutOff && <ThreeWays job={job} />}
      {(state === 'rejected' || state === 'duplicate') && !cutOff && (
        <Button kind="secondary" className="text-small" onClick={() => void retry(job)}>
          {lastError?.code === 'revision_conflict' ? 'Replace anyway' : 'Try again'}
        </Button>
      )}
      {!isLate && (
        <Button kind="quiet" className={classNames('text-small', !cutOff && '-ml-5')} onClick={onCorrect}>
          Correct the details
        </Button>
      )}
    </div>
  )
}

/** If the end of a recording is missing: publish the part that arrived, send the file again, or discard it. */
function ThreeWays({ job }: { job: Job }) {
  const { present } = job.lastError ?? {}
  return (
    <>
      <Button kind="secondary" className="text-small" onClick={() => void publishPresent(job)}>
        {texts.publishPresent(present)}
      </Button>
      <ChooseAgain job={job} asButton />
      <Button kind="secondary" className="text-small" onClick={() => void cancel(job.id)}>
        {texts.discard}
      </Button>
    </>
  )
}

/** If both name and length differ, the file may be another recording, which would be published under this one's title. */
function ChooseAgain({ job, asButton = false }: { job: Job; asButton?: boolean }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [other, setOther] = useState<File>()
  const choose = (file: File | undefined) => {
    if (!file) return
    const isOther = file.name !== job.filename && file.size !== job.size
    setOther(isOther ? file : undefined)
    if (!isOther) send(file)
  }
  const send = (file: File) => {
    chooseFileAgain(job.id, file).catch((error: unknown) =>
      showToast({
        title: 'Upload Failed',
        description: error instanceof Error ? error.message : String(error),
        kind: 'destructive',
      }),
    )
  }
  return (
    <div className={asButton ? 'contents' : 'w-full'}>
      {asButton ? (
        <Button kind="secondary" className="text-small" onClick={() => input.current?.click()}>
          {texts.chooseAgain}
        </Button>
      ) : (
        <label htmlFor={id} className="text-small font-medium">
          {texts.chooseAgain}
        </label>
      )}
      <input
        ref={input}
        id={id}
        type="file"
        accept="audio/*"
        aria-label={asButton ? texts.chooseAgain : undefined}
        hidden={asButton}
        className={asButton ? undefined : fileInputClass}
        onChange={({ target }) => {
          choose(target.files?.[0])
          // Without a reset, choosing the same file again fires no change event.
          if (asButton) target.value = ''
        }}
      />
      <output className="order-1 mt-2 block w-full text-small wrap-anywhere empty:sr-only">
        {other && texts.otherFile(other.name, job.filename)}
      </output>
      {other && (
        <Button kind="secondary" className="order-1 mt-2 text-small" onClick={() => send(other)}>
          {texts.sendOther}
        </Button>
      )}
    </div>
  )
}

const fileInputClass =
  'mt-1 w-full text-small text-soft file:mr-3 file:min-h-11 file:cursor-pointer file:rounded-card file:border ' +
  'file:border-solid file:border-line-strong file:bg-raised file:px-4 file:font-medium file:text-ink'

/** The fields of a job while they are corrected; if they differ from the stored ones, they hold the page. */
function useEntered({ fields: kept }: Job) {
  const [fields, setFields] = useState<EnteredFields>(kept)
  const isEdited = wordNames.some((name) => (fields[name] ?? '') !== (kept[name] ?? ''))
  useEffect(() => (isEdited ? holdAndAsk() : undefined), [isEdited])
  const enter = (field: keyof EnteredFields, value: string) =>
    setFields((before) => ({ ...before, [field]: value }))
  return [fields, enter] as const
}

/** If a job was shared from another app, it is uploaded only after the user confirmed its fields. */
function Confirmation({ job, userId }: { job: Job; userId: number }) {
  const [fields, enter] = useEntered(job)
  const [pending, setPending] = useState(false)
  const { ask, question } = useDateQuestion()
  if (job.state === 'copying' || job.state === 'lost')
    return <JobActions job={job} onCorrect={() => undefined} />
  const send = async () => {
    setPending(true)
    const problem = await confirm(job, fields, userId).catch(() => undefined)
    setPending(false)
    if (problem) showToast({ ...problem, kind: 'destructive' })
  }
  return (
    <div className="mt-4 flex flex-col gap-4">
      <UploadFields fields={fields} disabled={pending} onEdit={enter} />
      <Button
        pending={pending}
        pendingLabel="Checking for duplicates..."
        onClick={() => ask([fields.date], () => void send())}
      >
        Send it
      </Button>
      {question && <ConfirmDialog {...question} />}
    </div>
  )
}

function Correction({ job, onClose }: { job: Job; onClose: () => void }) {
  const [fields, enter] = useEntered(job)
  const { ask, question } = useDateQuestion()
  const save = async () => {
    try {
      const tooLate = await correct(job, fields)
      if (tooLate) showToast({ ...tooLate, kind: 'destructive' })
      onClose()
    } catch (error) {
      // The form stays open with the entered fields.
      showToast({ ...texts.notCorrected(sentenceOfError(error)), kind: 'destructive' })
    }
  }
  return (
    <div className="mt-4 flex flex-col gap-4">
      <UploadFields fields={fields} disabled={false} onEdit={enter} />
      <div className="flex flex-wrap gap-3">
        <Button
          className="text-small"
          onClick={() => ask(fields.date === job.fields.date ? [] : [fields.date], () => void save())}
        >
          {needsUser(job) && !isCutOff(job) ? 'Save and try again' : 'Save'}
        </Button>
        <Button kind="secondary" className="text-small" onClick={onClose}>
          Cancel
        </Button>
      </div>
      {question && <ConfirmDialog {...question} />}
    </div>
  )
}
