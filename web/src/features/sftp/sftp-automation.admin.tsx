import type { SftpStatus } from '@fellowship/schema/sftp/sftp.schema'
import { sftpTexts } from '@fellowship/schema/sftp/sftp.texts'
import { ServerOff } from 'lucide-react'
import { Card } from '../../ui/card.view.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { InboxList } from '../inbox/inbox-list.tsx'
import { SftpConnection } from './sftp-connection.tsx'
import { SftpControls } from './sftp-controls.tsx'
import { SftpMonitorCard } from './sftp-monitor-card.tsx'
import { SftpPassword } from './sftp-password.tsx'
import { statusFailure, useSftpStatus } from './sftp-queries.admin.ts'

/** The SFTP Automation tab: server and upload window, password, connection data, inbox, file monitor. */
export function SftpAutomation() {
  const { data, error, dataUpdatedAt, refetch } = useSftpStatus()
  if (!data && error) return <LoadFailure sentence={statusFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-96 w-full" />
  return (
    <>
      <Section
        title="Recordings from the sound desk"
        description="While the server is open, the sound desk can send recordings by SFTP. Correctly named files appear in the library within moments."
      >
        <div className="flex flex-col gap-6">
          {error && <LoadFailure sentence={statusFailure(error)} onRetry={() => void refetch()} />}
          {!data.available && <NotAvailable status={data} />}
          <SftpControls status={data} receivedAt={dataUpdatedAt} />
          <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
            <SftpConnection status={data} />
            <SftpPassword />
          </div>
        </div>
      </Section>
      <InboxList />
      <SftpMonitorCard />
    </>
  )
}

function NotAvailable({ status }: { status: SftpStatus }) {
  return (
    <Card className="admin-box flex items-start gap-4">
      <ServerOff aria-hidden="true" className="mt-1 size-6 shrink-0 text-brick" />
      <div role="alert" className="min-w-0">
        <h3 className="text-lg font-semibold text-brick">{sftpTexts.notAvailable}</h3>
        <p className="mt-1">{status.message}</p>
      </div>
    </Card>
  )
}
