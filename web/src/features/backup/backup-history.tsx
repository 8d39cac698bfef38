import type { BackupLine } from '@fellowship/schema/backup/backup.contract'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { church } from '@fellowship/schema/church'
import { counted } from '@fellowship/schema/counted'
import { daysSince } from '@fellowship/schema/dates'
import { fileSize } from '../../lib/file-size.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.view.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useBackupHistory } from './backup-queries.admin.ts'

/** Past backups with date, size, author and result, newest first. */
export function BackupHistory() {
  const { data, error, refetch } = useBackupHistory()
  return (
    <Section title="Backup History">
      {data && data.backups.length === 0 && <EmptyState title={backupTexts.none} />}
      {data && data.backups.length > 0 && (
        <Card className="overflow-hidden">
          <ul aria-label="Backups, newest first" className="divide-y divide-line">
            {data.backups.map((line) => (
              <Line key={line.id} line={line} />
            ))}
          </ul>
        </Card>
      )}
      {error && !data && <LoadFailure sentence={backupTexts.historyFailed} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-40 w-full" />}
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
  const days = daysSince(new Date(time), new Date(), church.timeZone)
  return days <= 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`
}
