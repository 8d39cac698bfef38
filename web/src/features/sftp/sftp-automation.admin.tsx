import type { CurrentUpload, SftpStatus } from '@fellowship/schema/sftp/sftp.contract'
import { sftpTexts } from '@fellowship/schema/sftp/sftp.texts'
import { ServerOff } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { clockTime } from '../../lib/clock-time.ts'
import { fileSize } from '../../lib/file-size.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LoadFailure } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { SftpMonitorCard } from './sftp-monitor-card.tsx'
import { SftpPassword } from './sftp-password.tsx'
import {
  statusFailure,
  useClearUpload,
  useSftpStatus,
  useStartSftp,
  useStopSftp,
} from './sftp-queries.admin.ts'

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
      <SftpMonitorCard />
    </>
  )
}

function NotAvailable({ status }: { status: SftpStatus }) {
  return (
    <Card className="admin-box flex items-start gap-4">
      <ServerOff className="mt-1 size-6 shrink-0 text-brick" />
      <div role="alert" className="min-w-0">
        <h3 className="text-lg font-semibold text-brick">{sftpTexts.notAvailable}</h3>
        <p className="mt-1">{status.message}</p>
      </div>
    </Card>
  )
}

/** The connection data for an SFTP client, each value with a copy button. */
function SftpConnection({ status }: { status: SftpStatus }) {
  const { host, port, username, fingerprint } = status
  const rows: readonly [string, string][] = [
    ['Host', host],
    ['Port', String(port)],
    ['Username', username],
    ['Fingerprint', fingerprint],
    ['Address', `sftp://${username}@${host}:${port}`],
  ]
  return (
    <Card className="admin-box">
      <h3 className="text-xl">Connection information</h3>
      <ul className="mt-3 divide-y divide-line">
        {rows.map(([term, text]) => (
          <li key={term} className="flex flex-wrap items-center gap-x-3 py-1.5">
            <div className="admin-beside">
              <p className="text-small text-soft">{term}</p>
              <p className="font-mono text-small wrap-anywhere">{text}</p>
            </div>
            <CopyButton what={term} text={text} />
          </li>
        ))}
      </ul>
      <p className="mt-3 text-small text-soft">
        The fingerprint is what a program shows at the first connection. If it shows another one, do not
        continue.
      </p>
    </Card>
  )
}

interface SftpControlsProps {
  status: SftpStatus
  /** When `status` was received, in epoch milliseconds. */
  receivedAt: number
}

/** The scheduled SFTP server: its state, its next upload window, and buttons to start and stop it. */
function SftpControls({ status, receivedAt }: SftpControlsProps) {
  const start = useStartSftp()
  const stop = useStopSftp()
  const { running, sessionType, manualTimeoutRemaining, currentUpload } = status
  const isManual = sessionType === 'manual'
  return (
    <Card className="admin-box">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-xl">Scheduled transfer server</h3>
        <Badge tone={running ? 'leaf' : 'plain'}>{running ? sftpTexts.active : sftpTexts.scheduled}</Badge>
      </div>
      <dl className="mt-5 grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
        <Fact term="Schedule">{status.schedule}</Fact>
        <Fact term={running && !isManual ? 'Window opened' : 'Next window'}>
          {shownMoment(status.nextWindow, 'schedule')}
        </Fact>
        <Fact term="Session">{sessionWords(status)}</Fact>
        {isManual && manualTimeoutRemaining !== null && (
          <Fact term="Closes in">
            <Countdown until={receivedAt + manualTimeoutRemaining} />
          </Fact>
        )}
      </dl>
      {currentUpload && <Arriving upload={currentUpload} />}
      <div className="mt-6 flex flex-wrap gap-3">
        <Button
          onClick={() => start.mutate()}
          disabled={running}
          pending={start.isPending}
          pendingLabel="Starting..."
        >
          Start Server
        </Button>
        <Button
          kind="secondary"
          onClick={() => stop.mutate()}
          disabled={!running && !isManual}
          pending={stop.isPending}
          pendingLabel="Stopping..."
        >
          {isManual && !running ? 'Force Stop (Clean Up)' : 'Stop Server'}
        </Button>
      </div>
    </Card>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-small text-soft">{term}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  )
}

/** Counts down from the remaining time that the server reported, so that a wrong clock of the device does not matter. */
function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(tick)
  }, [])
  return <span role="timer">{clockTime(Math.max(0, until - now) / 1000)}</span>
}

function Arriving({ upload }: { upload: CurrentUpload }) {
  const clear = useClearUpload()
  return (
    <div className="mt-5 flex flex-wrap items-center justify-between gap-3 rounded-card bg-sunk px-4 py-3">
      <p className="min-w-0 flex-1 basis-64 wrap-anywhere">
        <span className="font-medium">{upload.filename}</span> is arriving: {fileSize(upload.size)} so far,
        begun {shownMoment(upload.startTime, 'time')}
      </p>
      <Button kind="quiet" onClick={() => clear.mutate()} pending={clear.isPending}>
        Clear upload record
      </Button>
    </div>
  )
}

function sessionWords({ running, sessionType, closesAt }: SftpStatus): string {
  if (!running) return sessionType === 'manual' ? 'Opened manually, not running' : 'Closed'
  if (!closesAt) return 'Closing: a file may still finish'
  const end = shownMoment(closesAt, 'time')
  return `${sessionType === 'manual' ? 'Opened manually' : 'Scheduled'} until ${end}`
}
