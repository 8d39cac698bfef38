import type { ImportAnswers, ImportState, ImportSummary } from '@fellowship/schema/imports/imports.contract'
import { importTexts } from '@fellowship/schema/imports/imports.texts'
import { FolderInput } from 'lucide-react'
import { useRef, useState } from 'react'
import { toastError } from '../../lib/admin-query.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { openHeld } from '../../ui/held-dialog.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { DryRunAnswers } from './dry-run-answers.tsx'
import { archiveOf } from './folder-archive.ts'
import { ImportItems } from './import-items.tsx'
import {
  isWorking,
  useBegin,
  useConfirm,
  useImport,
  useImports,
  usePause,
  useProgress,
  useUndo,
} from './import-queries.admin.ts'

/** Administration → Move in: a source, its dry run, and the import with its report. */
export function MoveIn() {
  const [file, setFile] = useState<File>()
  const begin = useBegin()
  const rows = useImports()
  useProgress(rows.data?.some(({ state }) => isWorking(state)) ?? false)
  const again = (source: string, answers: ImportAnswers) =>
    begin.mutate(file && file.name === source ? { file, answers } : { source, answers })
  return (
    <>
      <Section
        title="Move in"
        description="Brings the library of another site here: a podcast, an export of WordPress, a table (CSV), or recordings in a folder or ZIP. You see every item first; nothing is written before you confirm it."
      >
        <SourceForm
          pending={begin.isPending}
          onSource={(source) => begin.mutate({ source, answers: {} })}
          onFile={(chosen) => {
            setFile(chosen)
            begin.mutate({ file: chosen, answers: {} })
          }}
        />
      </Section>
      <Loaded query={rows} failure={importTexts.loadFailed} height="h-64">
        {([latest, ...earlier]) => {
          if (!latest)
            return (
              <EmptyState title="Nothing was moved in yet" picture={FolderInput}>
                Episodes keep their identity, so that subscribers hear nothing twice, and old addresses lead
                here.
              </EmptyState>
            )
          return (
            <>
              <OneImport key={latest.id} summary={latest} onReadAgain={again} />
              {earlier.length > 0 && <Earlier rows={earlier} />}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

interface SourceFormProps {
  pending: boolean
  onSource: (source: string) => void
  onFile: (file: File) => void
}

function SourceForm({ pending, onSource, onFile }: SourceFormProps) {
  const [source, setSource] = useState('')
  const [isPacking, setPacking] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const folderPicker = useRef<HTMLInputElement>(null)
  async function pack(files: readonly File[]) {
    setPacking(true)
    try {
      onFile(await archiveOf(files))
    } catch (error) {
      toastError(importTexts.failed, error, (error as Error).message)
    }
    setPacking(false)
  }
  return (
    <form
      className="flex flex-wrap items-end gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSource(source.trim())
      }}
    >
      <div className="min-w-0 grow basis-64">
        <Field label="Address of the feed or export">
          {(control) => (
            <Input
              {...control}
              type="url"
              required
              placeholder="https://"
              value={source}
              onChange={(event) => setSource(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Button type="submit" pending={pending} pendingLabel="Reading…">
        Read it
      </Button>
      <Button kind="secondary" onClick={() => picker.current?.click()}>
        Choose a file
      </Button>
      {'webkitdirectory' in HTMLInputElement.prototype && (
        <Button
          kind="secondary"
          pending={isPacking}
          pendingLabel="Reading…"
          onClick={() => {
            const input = folderPicker.current!
            input.webkitdirectory = true
            input.click()
          }}
        >
          Choose a folder
        </Button>
      )}
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="File to move in"
        accept=".xml,.rss,.csv,.txt,.zip,text/csv,text/xml,application/xml,application/rss+xml,application/zip"
        onChange={(event) => {
          const [chosen] = event.target.files ?? []
          if (chosen) onFile(chosen)
          event.target.value = ''
        }}
      />
      <input
        ref={folderPicker}
        type="file"
        hidden
        aria-label="Folder to move in"
        onChange={(event) => {
          void pack([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </form>
  )
}

const states: Record<ImportState, { label: string; tone: Tone }> = {
  reading: { label: 'Reading', tone: 'plain' },
  ready: { label: 'Waits for you', tone: 'wheat' },
  importing: { label: 'Moving in', tone: 'pine' },
  paused: { label: 'Paused', tone: 'wheat' },
  done: { label: 'Done', tone: 'leaf' },
  undone: { label: 'Undone', tone: 'plain' },
  failed: { label: 'Failed', tone: 'brick' },
}

interface OneImportProps {
  summary: ImportSummary
  onReadAgain: (source: string, answers: ImportAnswers) => void
}

function OneImport({ summary, onReadAgain }: OneImportProps) {
  const { id, state, source, counts, failure, undoUntil } = summary
  const report = useImport(id, state)
  const confirm = useConfirm()
  const pause = usePause()
  const { followAt } = summary
  const mayUndo = state === 'paused' || state === 'importing' || (state === 'done' && counts.imported > 0)
  const current = report.data ?? summary
  return (
    <Section
      title={source.replace(/^https?:\/\//, '')}
      description={
        <span className="flex flex-wrap items-center gap-3">
          <Badge tone={states[state].tone}>{states[state].label}</Badge>
          <output>{sentenceOf(current.state, current.counts)}</output>
        </span>
      }
      actions={
        <>
          {state === 'importing' && (
            <Button kind="secondary" pending={pause.isPending} onClick={() => pause.mutate(id)}>
              Pause
            </Button>
          )}
          {followAt && state !== 'importing' && (
            <Button kind="secondary" pending={pause.isPending} onClick={() => pause.mutate(id)}>
              Stop following
            </Button>
          )}
          {state === 'paused' && (
            <Button pending={confirm.isPending} onClick={() => confirm.mutate({ id, answers: {} })}>
              Continue
            </Button>
          )}
          {mayUndo && (
            <Button kind="danger" onClick={() => openHeld(UndoImport, { summary })}>
              Undo
            </Button>
          )}
        </>
      }
    >
      {failure && <p role="alert">{failure}</p>}
      {undoUntil && counts.imported > 0 && (
        <p className="text-small text-soft">It can be undone until {shownMoment(undoUntil)}.</p>
      )}
      {followAt && <p className="text-small text-soft">It is read again on {shownMoment(followAt)}.</p>}
      {state !== 'reading' && state !== 'failed' && (
        <Loaded query={report} failure={importTexts.loadFailed} height="h-96">
          {(data) => (
            <>
              {/* Its questions are about the items that were read, not about those of the answer before. */}
              {state === 'ready' && data.state === 'ready' && (
                <DryRunAnswers
                  report={data}
                  pending={confirm.isPending}
                  onConfirm={(answers) => confirm.mutate({ id, answers })}
                  onReadAgain={(answers) => onReadAgain(data.source, answers)}
                />
              )}
              <ImportItems items={data.items} />
            </>
          )}
        </Loaded>
      )}
    </Section>
  )
}

function sentenceOf(state: ImportState, counts: ImportSummary['counts']): string {
  const { total, imported, failed } = counts
  if (state === 'reading') return 'The source is being read. Every recording is asked for once.'
  if (state === 'failed') return ''
  if (state === 'ready') return `${counts.new} of ${total} items are new.`
  return `${imported} of ${counts.new} moved in${failed > 0 ? `, ${failed} failed` : ''}.`
}

function UndoImport({ summary, onClose }: { summary: ImportSummary; onClose: () => void }) {
  const undo = useUndo()
  return (
    <ConfirmDialog
      title="Undo the import"
      question={`Moves ${summary.counts.imported} teachings to Deleted. Each can be restored there for 30 days.`}
      confirmLabel="Undo"
      pending={undo.isPending}
      pendingLabel="Undoing..."
      onConfirm={() => undo.mutate(summary.id, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}

function Earlier({ rows }: { rows: readonly ImportSummary[] }) {
  return (
    <Section title="Earlier imports">
      <Card className="overflow-hidden">
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <li key={row.id} className="admin-line flex flex-wrap items-center gap-x-6 gap-y-1">
              <time dateTime={row.beganAt} className="admin-moment shrink-0 text-small text-soft">
                {shownMoment(row.beganAt)}
              </time>
              <p className="min-w-0 flex-1 basis-64 wrap-anywhere">{row.source}</p>
              <p className="text-small text-soft">{sentenceOf(row.state, row.counts)}</p>
              <Badge tone={states[row.state].tone}>{states[row.state].label}</Badge>
              {row.undoUntil && row.counts.imported > 0 && (
                <Button kind="quiet" onClick={() => openHeld(UndoImport, { summary: row })}>
                  Undo
                </Button>
              )}
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  )
}
