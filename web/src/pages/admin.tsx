import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentType, useState } from 'react'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { queryKeyOf } from '../lib/admin-query.ts'
import { queryClient } from '../lib/query-client.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { inPage, lazyPart, optional } from '../ui/lazy-part.tsx'
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
const SetUp = part(() => import('./set-up.admin.tsx'), 'SetUp')
const SetUpOffer = lazyPart(() => import('./set-up.admin.tsx'), 'SetUpOffer', optional)
const Elders = part(() => import('../features/elders/elder-management.admin.tsx'), 'ElderManagement')
const Site = part(() => import('../features/site/site-management.admin.tsx'), 'SiteManagement')
const Pages = part(() => import('../features/written-pages/page-management.admin.tsx'), 'PageManagement')
const Events = part(() => import('../features/events/event-management.admin.tsx'), 'EventManagement')
const Notices = part(() => import('../features/notices/notice-management.admin.tsx'), 'NoticeManagement')
const Passages = part(() => import('../features/passages/passage-list.admin.tsx'), 'PassageList')
const Podcast = part(() => import('../features/feed/feed-check.admin.tsx'), 'FeedCheck')
const Imports = part(() => import('../features/imports/move-in.admin.tsx'), 'MoveIn')
const Teachings = part(() => import('../features/teachings/teaching-bin.admin.tsx'), 'TeachingBin')
const Series = part(() => import('../features/series/series-bin.admin.tsx'), 'SeriesBin')
const Deleted = () => (
  <>
    <Teachings />
    <Series />
  </>
)
const Info = part(() => import('../features/system/system-info.admin.tsx'), 'SystemInfo')
const Sftp = part(() => import('../features/sftp/sftp-automation.admin.tsx'), 'SftpAutomation')
const Processes = part(() => import('../features/processes/process-monitor.admin.tsx'), 'ProcessMonitor')
const Drafts = part(() => import('../features/speech/machine-drafts.admin.tsx'), 'MachineDrafts')
const Inbox = part(() => import('../features/inbox/inbox-list.tsx'), 'InboxList')
const Users = part(() => import('../features/users/user-list.tsx'), 'UserList')
const Activity = part(() => import('../features/audit/audit-log.admin.tsx'), 'AuditLog')
const Backup = part(() => import('../features/backup/backup-tab.admin.tsx'), 'BackupTab')

const contentParts: readonly Part[] = [
  { id: 'inbox', label: 'Inbox', Component: Inbox },
  { id: 'elders', label: 'Elders', Component: Elders },
  { id: 'site', label: 'Site', Component: Site },
  { id: 'pages', label: 'Pages', Component: Pages },
  { id: 'events', label: 'Events', Component: Events },
  { id: 'notices', label: 'Notices', Component: Notices },
  { id: 'passages', label: 'Passages', Component: Passages },
  { id: 'podcast', label: 'Podcast', Component: Podcast },
  { id: 'move-in', label: 'Move in', Component: Imports },
  { id: 'deleted', label: 'Deleted', Component: Deleted },
]
/** Only if the address names it. */
const setUpPart: Part = { id: 'set-up', label: 'Set up', Component: SetUp }
const systemParts: readonly Part[] = [
  { id: 'info', label: 'System Info', Component: Info },
  { id: 'sftp', label: 'SFTP Automation', Component: Sftp },
  { id: 'processes', label: 'Processes', Component: Processes },
  { id: 'drafts', label: 'Machine drafts', Component: Drafts },
  { id: 'users', label: 'Users', Component: Users },
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
  const { tab, part: shown } = useSearch({ from: '/admin' })
  const isSetUp = shown === setUpPart.id
  const navigate = useNavigate({ from: '/admin' })
  return (
    <div className="administration page pt-6 pb-20 lg:pt-12">
      <h1 className="mb-8 text-title">Administration</h1>
      {!isSetUp && <SetUpOffer />}
      <Tabs
        label="Administration"
        selected={tab}
        onSelect={(id) => void navigate({ search: { tab: id }, replace: true, resetScroll: false })}
        items={tabs.map(({ id, label, parts }) => ({
          id,
          label,
          content: <Parts tab={id} parts={isSetUp && id === 'content' ? [setUpPart, ...parts] : parts} />,
        }))}
      />
    </div>
  )
}

/** Shown if the address names none; the first part otherwise. */
const defaultParts: Readonly<Record<string, string>> = { content: 'elders' }

/** Whether the number beside the link to this page shows recordings that wait. */
const somethingWaits = () =>
  (queryClient.getQueryData<AnswerOf<typeof inbox.list>>(queryKeyOf(inbox.list))?.items.length ?? 0) > 0

function Parts({ tab, parts }: { tab: string; parts: readonly Part[] }) {
  // Decided once per visit, so that no part is replaced during its use.
  const [first] = useState(() => (tab === 'content' && somethingWaits() ? 'inbox' : defaultParts[tab]))
  const { part = first } = useSearch({ from: '/admin' })
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
