import type { Orphan } from '@fellowship/schema/audio/audio.contract'
import type { audio } from '@fellowship/schema/audio/audio.contract'
import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import { counted } from '@fellowship/schema/counted'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import type { system } from '@fellowship/schema/system/system.contract'
import { systemTexts } from '@fellowship/schema/system/system.texts'
import { Eraser, RefreshCw, RotateCw, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { HealthList } from '../../ui/health-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { Section } from '../../ui/section.tsx'
import { reloadDelayMs } from '../../ui/timings.ts'
import { SmallCopies } from './small-copies.tsx'
import {
  refreshStatistics,
  useAudioStats,
  useCleanup,
  useClearCache,
  useCopies,
  useGoOn,
  useSystemInfo,
} from './system-queries.admin.ts'

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
  return (
    <Section title="System health">
      <Loaded query={query} failure={systemTexts.loadFailed} height="h-64">
        {({ health }) => (
          <HealthList lines={health} actionOf={({ action }) => action === 'go_on' && <GoOn />} />
        )}
      </Loaded>
    </Section>
  )
}

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

/** Its parts add up to the total: the others are those of deleted teachings, originals and recent files. */
export function noteOnFiles({
  totalFiles,
  referencedFiles,
  orphanedFiles,
}: Pick<AnswerOf<typeof audio.stats>, 'totalFiles' | 'referencedFiles' | 'orphanedFiles'>): string {
  const others = totalFiles - referencedFiles - orphanedFiles
  return [
    `${referencedFiles} referenced`,
    `${orphanedFiles} orphaned`,
    ...(others > 0 ? [counted(others, 'other')] : []),
  ].join(', ')
}

/** '5h 12m' */
const hoursAndMinutes = (seconds: number) =>
  `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m`

/** Counts of people, teachings and recordings, their size on the disk, and orphaned files. */
function Statistics({ query }: { query: ReturnType<typeof useAudioStats> }) {
  const [refreshing, setRefreshing] = useState(false)
  const refresh = () => {
    setRefreshing(true)
    void refreshStatistics().finally(() => setRefreshing(false))
  }
  return (
    <Section
      title="Statistics"
      actions={
        <Button icon={RefreshCw} kind="secondary" onClick={refresh} pending={refreshing}>
          Refresh Statistics
        </Button>
      }
    >
      <Loaded query={query} failure={audioTexts.statisticsLoadFailed} height="h-40">
        {(data) => (
          <>
            <div className="admin-figures">
              <Figure label="Total users">{data.users}</Figure>
              <Figure label="Elders">{data.elders}</Figure>
              <Figure label="Teachings">{data.teachings}</Figure>
              <Figure label="Audio files" note={noteOnFiles(data)}>
                {data.totalFiles}
              </Figure>
              <Figure label="Storage usage" note={`${sizeOf(data.orphanedSize)} of it orphaned`}>
                {sizeOf(data.totalSize)}
              </Figure>
            </div>
            {data.orphanedFiles > 0 && <OrphanWarning orphans={data.orphans} bytes={data.orphanedSize} />}
          </>
        )}
      </Loaded>
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

/** A warning about orphaned recordings, which are listed before they can be deleted. */
function OrphanWarning({ orphans, bytes }: { orphans: readonly Orphan[]; bytes: number }) {
  const [asking, setAsking] = useState(false)
  const cleanup = useCleanup()
  const files = counted(orphans.length, 'orphaned file')
  return (
    <div className="mt-5">
      <Banner tone="wheat" title={`${files}, ${fileSize(bytes)}`} icon={TriangleAlert}>
        <p>No teaching refers to them, and they are more than a day old.</p>
        <Button kind="secondary" className="mt-3 mb-1" onClick={() => setAsking(true)}>
          Clean up orphaned files
        </Button>
      </Banner>
      {asking && (
        <ConfirmDialog
          title="Delete these files?"
          question="Nobody can play them. Deleted files can only be restored from a backup."
          confirmLabel={`Delete ${files}`}
          pending={cleanup.isPending}
          pendingLabel="Deleting..."
          onConfirm={() => cleanup.mutate(undefined, { onSettled: () => setAsking(false) })}
          onCancel={() => setAsking(false)}
          width="wide"
        >
          <ScrollRegion label="The files" className="mt-5 max-h-72 rounded-card border border-line">
            <ul className="divide-y divide-line">
              {orphans.map(({ name, bytes: size, modifiedAt }) => (
                <li key={name} className="px-4 py-2 text-small">
                  <span className="wrap-anywhere">{name}</span>
                  <span className="block text-soft">
                    {fileSize(size)}, from {shownMoment(modifiedAt, 'day')}
                  </span>
                </li>
              ))}
            </ul>
          </ScrollRegion>
        </ConfirmDialog>
      )}
    </div>
  )
}

function Maintenance() {
  const clear = useClearCache()
  const [reloading, setReloading] = useState(false)
  const reload = () => {
    setReloading(true)
    setTimeout(() => location.reload(), reloadDelayMs)
  }
  return (
    <Section title="Maintenance of this browser">
      <Card className="admin-box grid grid-cols-1 gap-8 sm:grid-cols-2">
        <div>
          <p>
            Downloads the site’s files again. Saved recordings, unsent changes and unfinished uploads are
            untouched.
          </p>
          <Button
            icon={Eraser}
            kind="secondary"
            className="mt-4"
            pending={clear.isPending}
            onClick={() => clear.mutate()}
          >
            Clear Frontend Cache
          </Button>
        </div>
        <div>
          <p>Reloads this page.</p>
          <Button
            icon={RotateCw}
            kind="secondary"
            className="mt-4"
            pending={reloading}
            pendingLabel="Reloading..."
            onClick={reload}
          >
            Reload Application
          </Button>
        </div>
      </Card>
    </Section>
  )
}
