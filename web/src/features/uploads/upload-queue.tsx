import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { UploadJob as Job } from '@fellowship/sync/client/database/upload-database'
import { askedAnswer, mayBePublished, needsOtherFile } from '@fellowship/sync/client/uploads/upload-jobs'
import { Link } from '@tanstack/react-router'
import { Pause, Play, X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { shortName } from '../../lib/short-name.ts'
import { useOnline } from '../../lib/use-online.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/toast.ts'
import { useDeviceSync } from '../sync/use-device-sync.ts'
import { progressClass } from '../../ui/progress-class.ts'
import { needsUser, progressWords, queueWords, showsProgress, stateWords } from './queue-words.ts'
import { cancel, chooseFileAgain, pause, publishAnyway, resume, retry, takeOff } from './queue.device.ts'
import { Confirmation, Correction } from './upload-corrections.tsx'

/** The upload jobs of this device, from the first copied byte to the library. */
export function UploadQueue({ jobs, userId }: { jobs: readonly Job[]; userId: number }) {
  const isOnline = useOnline()
  const inMemory = useDeviceSync()?.inMemory === true
  if (jobs.length === 0) return null
  return (
    <section aria-label="On this device" className="mt-4 border-b border-line pb-5">
      <p className="font-serif text-lg">On this device</p>
      <output className="block text-small text-soft">{queueWords(jobs, inMemory)}</output>
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
  const name = withSpaces(fields.title) || fields.scriptureReference || shortName(job.filename)
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
      {job.unconfirmed && state !== 'copying' && state !== 'lost' ? (
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
  if (needsOtherFile(job)) return <OtherFile job={job} onCorrect={onCorrect} />
  const isLate = ['lost', 'copying'].includes(state) || mayBePublished(job)
  const isAsked = askedAnswer(job) !== undefined
  return (
    <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
      {state === 'lost' && <ChooseAgain job={job} />}
      {isAsked && <ThreeWays job={job} />}
      {state === 'rejected' && !isAsked && (
        <Button kind="secondary" className="text-small" onClick={() => void retry(job)}>
          {lastError?.code === 'revision_conflict' ? 'Replace anyway' : 'Try again'}
        </Button>
      )}
      {!isLate && (
        <Button kind="quiet" className={classNames('text-small', !isAsked && '-ml-5')} onClick={onCorrect}>
          Correct the details
        </Button>
      )}
    </div>
  )
}

/** For a file that the library never takes: another one, or none. Only a duplicate by its fields can be corrected. */
function OtherFile({ job, onCorrect }: { job: Job; onCorrect: () => void }) {
  const { state, lastError } = job
  const existing = lastError?.existing
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {existing && (
        <Link
          to="/$"
          params={{ _splat: existing.path.slice(1) }}
          className={buttonClass('secondary', 'text-small')}
        >
          {texts.show}
        </Link>
      )}
      <ChooseAgain job={job} label={texts.chooseOther} asButton anyFile />
      <Button kind="secondary" className="text-small" onClick={() => void cancel(job.id)}>
        {texts.remove}
      </Button>
      {state === 'duplicate' && !existing?.sameRecording && (
        <Button kind="quiet" className="text-small" onClick={onCorrect}>
          Correct the details
        </Button>
      )}
    </div>
  )
}

/** If the server asks about a recording: publish it as it is, send the file again, or discard it. */
function ThreeWays({ job }: { job: Job }) {
  const { present } = job.lastError ?? {}
  return (
    <>
      <Button kind="secondary" className="text-small" onClick={() => void publishAnyway(job)}>
        {askedAnswer(job) === 'acceptSound' ? texts.publishAnyway : texts.publishPresent(present)}
      </Button>
      <ChooseAgain job={job} asButton />
      <Button kind="secondary" className="text-small" onClick={() => void cancel(job.id)}>
        {texts.discard}
      </Button>
    </>
  )
}

/** If both name and length differ, the file may be another recording, which would be published under this one's title. */
function ChooseAgain({
  job,
  label = texts.chooseAgain,
  asButton = false,
  anyFile = false,
}: {
  job: Job
  label?: string
  asButton?: boolean
  /** Another recording is expected. */
  anyFile?: boolean
}) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [other, setOther] = useState<File>()
  const choose = (file: File | undefined) => {
    if (!file) return
    const isOther = !anyFile && file.name !== job.filename && file.size !== job.size
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
          {label}
        </Button>
      ) : (
        <label htmlFor={id} className="text-small font-medium">
          {label}
        </label>
      )}
      <input
        ref={input}
        id={id}
        type="file"
        accept="audio/*"
        aria-label={asButton ? label : undefined}
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
  'mt-1 w-full text-small text-soft file:mr-4 file:min-h-11 file:cursor-pointer file:rounded-card file:border ' +
  'file:border-solid file:border-line-strong file:bg-raised file:px-4 file:font-medium file:text-ink'
