import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import { RefreshCw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { OrphanWarning } from './storage-care.tsx'
import { refreshStatistics, type useAudioStats } from './system-queries.admin.ts'

/** Counts of people, teachings and recordings, their size on the disk, and orphaned files. */
export function Statistics({ query }: { query: ReturnType<typeof useAudioStats> }) {
  const { data, error, refetch } = query
  const [refreshing, setRefreshing] = useState(false)
  const refresh = () => {
    setRefreshing(true)
    void refreshStatistics().finally(() => setRefreshing(false))
  }
  return (
    <Section
      title="Statistics"
      actions={
        <Button kind="secondary" onClick={refresh} pending={refreshing}>
          <RefreshCw aria-hidden="true" className="size-5" />
          Refresh Statistics
        </Button>
      }
    >
      {error && !data && (
        <LoadFailure sentence={audioTexts.statisticsLoadFailed} onRetry={() => void refetch()} />
      )}
      {!data && !error && <Skeleton className="h-40 w-full" />}
      {data && (
        <div className="admin-figures">
          <Figure label="Total users">{data.users}</Figure>
          <Figure label="Elders">{data.elders}</Figure>
          <Figure label="Teachings">{data.teachings}</Figure>
          <Figure
            label="Audio files"
            note={`${data.referencedFiles} referenced, ${data.orphanedFiles} orphaned`}
          >
            {data.totalFiles}
          </Figure>
          <Figure label="Storage usage" note={`${sizeOf(data.orphanedSize)} of it orphaned`}>
            {sizeOf(data.totalSize)}
          </Figure>
        </div>
      )}
      {data && data.orphanedFiles > 0 && <OrphanWarning orphans={data.orphans} bytes={data.orphanedSize} />}
    </Section>
  )
}

function Figure({ label, note, children }: { label: string; note?: string; children: ReactNode }) {
  return (
    <Card className="admin-box">
      <p className="text-small text-soft">{label}</p>
      <p className="mt-1 font-serif text-3xl tabular-nums">{children}</p>
      {note && <p className="mt-1 text-small text-soft">{note}</p>}
    </Card>
  )
}

const sizeOf = (bytes: number) => (bytes === 0 ? '0 kB' : fileSize(bytes))
