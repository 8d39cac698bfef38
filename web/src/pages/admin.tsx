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

/** The tabs of /admin and their parts. A part is loaded when it is opened. */
const contentParts: readonly Part[] = [
  { id: 'elders', label: 'Elders', Component: lazyPart(elderManagement, inPage) },
  { id: 'visit', label: 'Plan Your Visit', Component: lazyPart(visitManagement, inPage) },
  { id: 'passages', label: 'Passages', Component: lazyPart(passageList, inPage) },
  { id: 'podcast', label: 'Podcast', Component: lazyPart(feedCheck, inPage) },
  { id: 'deleted', label: 'Deleted Teachings', Component: lazyPart(teachingBin, inPage) },
  { id: 'deleted-series', label: 'Deleted Series', Component: lazyPart(seriesBin, inPage) },
]
const systemParts: readonly Part[] = [
  { id: 'info', label: 'System Info', Component: lazyPart(systemInfo, inPage) },
  { id: 'sftp', label: 'SFTP Automation', Component: lazyPart(sftpAutomation, inPage) },
  { id: 'processes', label: 'Processes', Component: lazyPart(processMonitor, inPage) },
  { id: 'activity', label: 'Activity', Component: lazyPart(auditLog, inPage) },
]
const backupParts: readonly Part[] = [
  { id: 'backup', label: 'Backup', Component: lazyPart(backupTab, inPage) },
]

const tabs = [
  { id: 'content', label: 'Content Management', parts: contentParts },
  { id: 'system', label: 'System Administration', parts: systemParts },
  { id: 'backup', label: 'Backup', parts: backupParts },
].filter(({ parts }) => parts.length > 0)

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

async function elderManagement() {
  return (await import('../features/elders/elder-management.admin.tsx')).ElderManagement
}
async function visitManagement() {
  return (await import('../features/visit/visit-management.admin.tsx')).VisitManagement
}
async function passageList() {
  return (await import('../features/passages/passage-list.admin.tsx')).PassageList
}
async function feedCheck() {
  return (await import('../features/feed/feed-check.admin.tsx')).FeedCheck
}
async function teachingBin() {
  return (await import('../features/teachings/teaching-bin.admin.tsx')).TeachingBin
}
async function seriesBin() {
  return (await import('../features/series/series-bin.admin.tsx')).SeriesBin
}
async function systemInfo() {
  return (await import('../features/system/system-info.admin.tsx')).SystemInfo
}
async function sftpAutomation() {
  return (await import('../features/sftp/sftp-automation.admin.tsx')).SftpAutomation
}
async function processMonitor() {
  return (await import('../features/processes/process-monitor.admin.tsx')).ProcessMonitor
}
async function auditLog() {
  return (await import('../features/audit/audit-log.admin.tsx')).AuditLog
}
async function backupTab() {
  return (await import('../features/backup/backup-tab.admin.tsx')).BackupTab
}
