import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import { systemTexts } from '@fellowship/schema/system/system.texts'
import { RefreshCw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { HealthList } from '../../ui/health-list.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Maintenance } from './maintenance.tsx'
import { SmallCopies } from './small-copies.tsx'
import { OrphanWarning } from './storage-care.tsx'
import { refreshStatistics, useAudioStats, useGoOn, useSystemInfo } from './system.queries.ts'

/** The System Info tab: health checks, statistics, versions, maintenance. */
export function SystemInfo() {
  return (
    <>
      <Health />
      <Statistics />
      <SmallCopies />
      <Status />
      <Maintenance />
    </>
  )
}

function Health() {
  const { data, error, refetch } = useSystemInfo()
  return (
    <Section title="System health">
      {data && <HealthList lines={data.health} actionOf={({ action }) => action === 'go_on' && <GoOn />} />}
      {error && !data && <LoadFailure sentence={systemTexts.loadFailed} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-64 w-full" />}
    </Section>
  )
}

/** Lets removals by age go on that stopped. */
function GoOn() {
  const goOn = useGoOn()
  return (
    <Button kind="secondary" className="mt-3" pending={goOn.isPending} onClick={() => goOn.mutate()}>
      Go on
    </Button>
  )
}

function Statistics() {
  const { data, error, refetch } = useAudioStats()
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

function Status() {
  const { data } = useSystemInfo()
  if (!data) return null
  const { environment, version, storage, nodeVersion, uptime, memoryUsage } = data
  return (
    <Section title="Application">
      <Card className="admin-box">
        <dl className="grid gap-x-10 gap-y-4 sm:grid-cols-2">
          <Fact label="Environment">{environment}</Fact>
          <Fact label="Version">{version}</Fact>
          <Fact label="Storage">{storage}</Fact>
          <Fact label="Runtime">Node.js {nodeVersion}</Fact>
          <Fact label="Uptime">{hoursAndMinutes(uptime)}</Fact>
          <Fact label="Memory">
            {fileSize(memoryUsage.rss)}, {fileSize(memoryUsage.external)} of it external
          </Fact>
        </dl>
      </Card>
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

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-small text-soft">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}

const sizeOf = (bytes: number) => (bytes === 0 ? '0 kB' : fileSize(bytes))

/** '5h 12m' */
const hoursAndMinutes = (seconds: number) =>
  `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m`
