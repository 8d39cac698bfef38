import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { DropZone } from './drop-zone.tsx'
import { useKnownSpeakers } from './known-speakers.ts'
import { isSending } from './queue-words.ts'
import { RefusedFiles } from './refused-files.tsx'
import { UploadDraft } from './upload-draft.tsx'
import { isBusy, type UploadFlow } from './upload-flow.ts'
import { UploadQueue } from './upload-queue.tsx'
import { useQueue, useWakeLock } from './use-queue.ts'
import { useUploadFlow } from './use-upload-flow.ts'

interface UploadPanelProps {
  userId: number
  /** The panel is hidden until the user opens it or it has something to show. */
  open: boolean
  /** Called when a recording was, or may have been, added to the library; null if the teaching is unknown. */
  onAdded: (teaching: Teaching | null) => void
}

/** The panel 'Upload Teaching': the upload form and the upload queue. */
export function UploadPanel({ userId, open, onAdded }: UploadPanelProps) {
  const { flow, send } = useUploadFlow(userId, onAdded)
  const jobs = useQueue(userId)
  useWakeLock(jobs.some(isSending) || flow.drafts.some(({ making }) => making !== undefined))
  const speakers = useKnownSpeakers()
  // A draft that is being saved is listed in the queue already.
  const drafts = flow.drafts.filter(({ step }) => step !== 'saving')
  const { refused } = flow
  const chosen = flow.drafts.length > 0
  const busy = isBusy(flow) || (!chosen && jobs.some(isSending))
  return (
    <section
      aria-labelledby="upload-title"
      data-upload=""
      hidden={!open && !chosen && refused.length === 0 && jobs.length === 0}
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
            send({ type: 'submitted' })
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
        {!chosen && jobs.length === 0 && <NamingHelp />}
      </Card>
    </section>
  )
}

function submitLabel({ drafts }: UploadFlow, busy: boolean): string {
  if (drafts.some(({ step }) => step === 'checking')) return 'Checking for duplicates...'
  return busy ? 'Uploading...' : 'Upload Teaching'
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
