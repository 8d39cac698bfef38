import type { AnswerOf } from '@fellowship/schema/endpoint'
import type { system } from '@fellowship/schema/system/system.contract'
import { systemTexts } from '@fellowship/schema/system/system.texts'
import type { ReactNode } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { HealthList } from '../../ui/health-list.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Maintenance } from './maintenance.tsx'
import { SmallCopies } from './small-copies.tsx'
import { Statistics } from './statistics.tsx'
import { useAudioStats, useCopies, useGoOn, useSystemInfo } from './system-queries.admin.ts'

/**
 * The System Info tab: health checks, statistics, versions, maintenance. Each part waits for those above it, so that no
 * button moves under a finger.
 */
export function SystemInfo() {
  const info = useSystemInfo()
  const statistics = useAudioStats()
  const copies = useCopies()
  // True after the first answer or failure.
  const healthKnown = info.isFetched
  const statisticsKnown = healthKnown && statistics.isFetched
  const copiesKnown = statisticsKnown && copies.isFetched
  return (
    <>
      <Health query={info} />
      {healthKnown && <Statistics query={statistics} />}
      {statisticsKnown && <SmallCopies query={copies} />}
      {copiesKnown && (
        <>
          {info.data && <Status info={info.data} />}
          <Maintenance />
        </>
      )}
    </>
  )
}

function Health({ query }: { query: ReturnType<typeof useSystemInfo> }) {
  const { data, error, refetch } = query
  return (
    <Section title="System health">
      {data && <HealthList lines={data.health} actionOf={({ action }) => action === 'go_on' && <GoOn />} />}
      {error && !data && <LoadFailure sentence={systemTexts.loadFailed} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-64 w-full" />}
    </Section>
  )
}

/** Resumes removals by age that stopped. */
function GoOn() {
  const goOn = useGoOn()
  return (
    <Button kind="secondary" className="mt-3" pending={goOn.isPending} onClick={() => goOn.mutate()}>
      Go on
    </Button>
  )
}

function Status({ info }: { info: AnswerOf<typeof system.info> }) {
  const { environment, version, storage, nodeVersion, uptime, memoryUsage } = info
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

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-small text-soft">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}

/** '5h 12m' */
const hoursAndMinutes = (seconds: number) =>
  `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m`
