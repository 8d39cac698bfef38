import { backup, type BackupLine, type PreparedBackup } from '@fellowship/schema/backup/backup.contract'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { church } from '@fellowship/schema/church'
import { counted } from '@fellowship/schema/counted'
import { daysSince } from '@fellowship/schema/dates'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { addressOf, call } from '@fellowship/sync/call/call'
import { Archive, History, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { fileSize } from '../../lib/file-size.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

/** The Backup tab: manual backup, history, and when the next weekly one is due. */
export function BackupTab() {
  const { data: history, isFetched } = useBackupHistory()
  const [historyShown, setHistoryShown] = useState(false)
  const create = useCreateBackup()
  // Parts that may appear above the buttons load first, so that the buttons do not move under a finger.
  if (!isFetched) return <Skeleton className="h-64 w-full" />
  return (
    <>
      {history?.overdue && <AgeWarning ageDays={history.ageDays} />}
      <Section
        title="Backup"
        description="One ZIP file with every recording under a readable name, the photos, and the whole database."
      >
        <Card className="admin-box">
          <p className="measure">
            The download may take a while on a slow connection. If it is interrupted, use your browser’s
            “Resume”. Store the file away from the server, and keep it private: it contains the accounts. When
            it is restored over this site, accounts that changed since come back inactive.
          </p>
          <div className="mt-6 flex flex-wrap gap-3">
            <Button
              icon={Archive}
              onClick={() => create.mutate()}
              pending={create.isPending}
              pendingLabel="Preparing the backup..."
            >
              Create Manual Backup
            </Button>
            <Button
              icon={History}
              kind="secondary"
              aria-expanded={historyShown}
              onClick={() => setHistoryShown((shown) => !shown)}
            >
              {historyShown ? 'Hide Backup History' : 'View Backup History'}
            </Button>
          </div>
          {history && (
            <p className="measure mt-5 text-soft">
              {history.secretsSealed ? backupTexts.secretsSealed : backupTexts.secretsLeftOut}
            </p>
          )}
          {create.data && create.data.missing.length > 0 && <Missing names={create.data.missing} />}
        </Card>
      </Section>
      {historyShown && <BackupHistory />}
      {history && <Weekly history={history} />}
    </>
  )
}

function AgeWarning({ ageDays }: { ageDays: number | null }) {
  return (
    <div className="mb-8">
      <Banner tone="wheat" title="Time for a backup" icon={TriangleAlert}>
        {ageDays === null ? backupTexts.never : backupTexts.overdue(ageDays)}
      </Banner>
    </div>
  )
}

function Weekly({ history }: { history: AnswerOf<typeof backup.history> }) {
  const { folder, keep, nextAt } = history.weekly
  const { daily } = history
  return (
    <Section title="Regular backups">
      {folder ? (
        <p className="measure text-soft">
          The next weekly one, of everything, is written to{' '}
          <code className="wrap-anywhere text-ink">{folder}</code> on{' '}
          {nextAt && shownMoment(nextAt, 'schedule')}. The newest {keep} are kept.
        </p>
      ) : (
        <p className="measure text-soft">
          There is no weekly one. Whoever runs the server can name a folder on another disk with{' '}
          <code>BACKUP_DIR</code>, or a bucket with <code>BACKUP_S3_BUCKET</code>; a backup is then written
          there every week.
        </p>
      )}
      <p className="measure mt-3 text-soft">
        Every day the database alone is written to{' '}
        <code className="wrap-anywhere text-ink">{daily.folder}</code>
        {daily.lastAt && <>, last on {shownMoment(daily.lastAt)}</>}. The newest {daily.keep} are kept.
      </p>
    </Section>
  )
}

function Missing({ names }: { names: readonly string[] }) {
  return (
    <div className="mt-6">
      <Banner tone="brick" title={`Not on the server’s disk: ${counted(names.length, 'file')}`}>
        <p>
          They are not in this backup. Upload a recording again by editing its teaching, and a photo by
          editing the elder.
        </p>
        <ul className="mt-2 list-disc pl-5">
          {names.map((name) => (
            <li key={name} className="wrap-anywhere">
              {name}
            </li>
          ))}
        </ul>
      </Banner>
    </div>
  )
}

function BackupHistory() {
  return (
    <Section title="Backup History">
      <Loaded query={useBackupHistory()} failure={backupTexts.historyFailed} height="h-40">
        {({ backups }) =>
          backups.length === 0 ? (
            <EmptyState title={backupTexts.none} />
          ) : (
            <Card className="overflow-hidden">
              <ul aria-label="Backups, newest first" className="divide-y divide-line">
                {backups.map((line) => (
                  <Line key={line.id} line={line} />
                ))}
              </ul>
            </Card>
          )
        }
      </Loaded>
    </Section>
  )
}

function Line({ line }: { line: BackupLine }) {
  const { startedAt, actor, bytes, files, result, kind, sentence } = line
  return (
    <li className="admin-line flex flex-wrap items-center gap-x-6 gap-y-1">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium">
          <time dateTime={startedAt}>{shownMoment(startedAt)}</time>
          <span className="font-normal text-soft"> · {ageOf(startedAt)}</span>
        </p>
        <p className="text-small wrap-anywhere text-soft">
          {fileSize(bytes)}, {counted(files, 'file')} ·{' '}
          {kind === 'manual' ? actor : kind === 'weekly' ? 'every week' : 'every day, the database alone'}
        </p>
        {sentence && <p className="text-small text-brick">{sentence}</p>}
      </div>
      <Badge tone={tones[result]}>{words[result]}</Badge>
    </li>
  )
}

const tones: Record<BackupLine['result'], Tone> = {
  complete: 'leaf',
  running: 'plain',
  interrupted: 'wheat',
  failed: 'brick',
}

const words: Record<BackupLine['result'], string> = {
  complete: 'Complete',
  running: 'Under way',
  interrupted: 'Interrupted',
  failed: 'Failed',
}

function ageOf(time: string): string {
  const days = daysSince(new Date(time), new Date(), church().timeZone)
  return days <= 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`
}

const useBackupHistory = adminQuery(backup.history, {
  pollMs: (history) => (history?.backups.some(({ result }) => result === 'running') ? 3_000 : false),
})

/**
 * The server freezes the contents of the backup; the download is the browser's own, which streams gigabytes to the disk and
 * resumes after a lost connection.
 */
const useCreateBackup = adminMutation({
  call: () => call(backup.prepare),
  onSuccess: download,
  success: ({ files, bytes }) => backupTexts.started(files, fileSize(bytes)),
  failure: backupTexts.failed.title,
  describe: () => backupTexts.failed.description,
  invalidates: [backup.history],
})

/** The server's Content-Disposition names the file; `download` is the name if that header is missing. */
function download({ id, fileName }: PreparedBackup): void {
  const link = document.createElement('a')
  link.href = addressOf(backup.createManual, { query: { id } })
  link.download = fileName
  document.body.append(link)
  link.click()
  link.remove()
}
