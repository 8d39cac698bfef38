import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { usePageTitle } from '../lib/page-title.view.ts'
import { inPage, lazyPart } from '../ui/lazy-part.tsx'
import { OnlineOnly } from '../ui/online-only.tsx'
import { Tabs } from '../ui/tabs.tsx'

interface Part {
  id: string
  label: string
  Component: ComponentType
}

/** A part of a tab, whose code is loaded when it is opened. */
const part = <Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) =>
  lazyPart<Module, Name, object>(load, name, inPage)
const Elders = part(() => import('../features/elders/elder-management.admin.tsx'), 'ElderManagement')
const Visit = part(() => import('../features/visit/visit-management.admin.tsx'), 'VisitManagement')
const Passages = part(() => import('../features/passages/passage-list.admin.tsx'), 'PassageList')
const Podcast = part(() => import('../features/feed/feed-check.admin.tsx'), 'FeedCheck')
const Teachings = part(() => import('../features/teachings/teaching-bin.admin.tsx'), 'TeachingBin')
const Series = part(() => import('../features/series/series-bin.admin.tsx'), 'SeriesBin')
const Info = part(() => import('../features/system/system-info.admin.tsx'), 'SystemInfo')
const Sftp = part(() => import('../features/sftp/sftp-automation.admin.tsx'), 'SftpAutomation')
const Processes = part(() => import('../features/processes/process-monitor.admin.tsx'), 'ProcessMonitor')
const Activity = part(() => import('../features/audit/audit-log.admin.tsx'), 'AuditLog')
const Backup = part(() => import('../features/backup/backup-tab.admin.tsx'), 'BackupTab')

const contentParts: readonly Part[] = [
  { id: 'elders', label: 'Elders', Component: Elders },
  { id: 'visit', label: 'Plan Your Visit', Component: Visit },
  { id: 'passages', label: 'Passages', Component: Passages },
  { id: 'podcast', label: 'Podcast', Component: Podcast },
  { id: 'deleted', label: 'Deleted Teachings', Component: Teachings },
  { id: 'deleted-series', label: 'Deleted Series', Component: Series },
]
const systemParts: readonly Part[] = [
  { id: 'info', label: 'System Info', Component: Info },
  { id: 'sftp', label: 'SFTP Automation', Component: Sftp },
  { id: 'processes', label: 'Processes', Component: Processes },
  { id: 'activity', label: 'Activity', Component: Activity },
]
const backupParts: readonly Part[] = [{ id: 'backup', label: 'Backup', Component: Backup }]

const tabs = [
  { id: 'content', label: 'Content Management', parts: contentParts },
  { id: 'system', label: 'System Administration', parts: systemParts },
  { id: 'backup', label: 'Backup', parts: backupParts },
]

/** /admin, 'Administration': for administrators only. The address contains the open tab. */
export function Admin() {
  usePageTitle('Administration')
  const { tab } = useSearch({ from: '/admin' })
  const navigate = useNavigate({ from: '/admin' })
  return (
    <div className="administration page pt-6 pb-20 lg:pt-12">
      <h1 className="mb-8 text-title">Administration</h1>
      <Tabs
        label="Administration"
        selected={tab}
        onSelect={(id) => void navigate({ search: { tab: id }, replace: true, resetScroll: false })}
        items={tabs.map(({ id, label, parts }) => ({ id, label, content: <Parts tab={id} parts={parts} /> }))}
      />
    </div>
  )
}

function Parts({ tab, parts }: { tab: string; parts: readonly Part[] }) {
  const { part } = useSearch({ from: '/admin' })
  const navigate = useNavigate({ from: '/admin' })
  const items = parts.map(({ id, label, Component }) => ({
    id,
    label,
    content: (
      <OnlineOnly>
        <Component />
      </OnlineOnly>
    ),
  }))
  if (items.length === 1) return items[0]!.content
  return (
    <Tabs
      label="Parts of this tab"
      look="underline"
      selected={part}
      onSelect={(id) => void navigate({ search: { tab, part: id }, replace: true, resetScroll: false })}
      items={items}
    />
  )
}
