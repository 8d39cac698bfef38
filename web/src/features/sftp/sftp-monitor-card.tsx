import { counted } from '@fellowship/schema/counted'
import type { MonitoredFile, SftpMonitor } from '@fellowship/schema/sftp/sftp.contract'
import { sftpTexts } from '@fellowship/schema/sftp/sftp.texts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { useCleanOld, useSftpMonitor, useUnban } from './sftp-queries.admin.ts'
import { fileAgeMinutes } from '@fellowship/schema/sftp/sftp.limits'

/** The file monitor: partial and leftover files with their age, 'Clean Old (1h+)', and banned addresses. */
export function SftpMonitorCard() {
  const clean = useCleanOld()
  return (
    <Section
      title="File monitor"
      description="Partial uploads and leftover files. Cleaning never removes what is still needed."
      actions={
        <Button
          kind="secondary"
          onClick={() => clean.mutate()}
          pending={clean.isPending}
          pendingLabel="Cleaning..."
        >
          Clean Old (1h+)
        </Button>
      }
    >
      <Loaded query={useSftpMonitor()} failure={sftpTexts.monitorFailed} height="h-40">
        {(monitor) => <Monitor monitor={monitor} />}
      </Loaded>
    </Section>
  )
}

function Monitor({ monitor }: { monitor: SftpMonitor }) {
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {counted(monitor.totalFiles, 'file')}, {monitor.totalSizeFormatted}. Checked{' '}
        {shownMoment(monitor.lastUpdated, 'time')}.
      </p>
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        {Object.entries(monitor.directories).map(([name, directory]) => (
          <Card key={name} className="admin-box min-w-0">
            <div className="flex flex-wrap items-baseline justify-between gap-2">
              <h3 className="font-mono text-lg">{name}</h3>
              <span className="text-small text-soft">
                {counted(directory.count, 'file')}, {directory.sizeFormatted}
              </span>
            </div>
            {directory.error && <p className="mt-3 text-brick">{directory.error}</p>}
            {directory.files.length === 0 && !directory.error && <p className="mt-3 text-soft">Empty</p>}
            {directory.files.length > 0 && (
              <ul className="mt-3 divide-y divide-line">
                {directory.files.map((file) => (
                  <FileLine key={file.name} file={file} />
                ))}
              </ul>
            )}
          </Card>
        ))}
      </div>
      {monitor.bans.length > 0 && <Bans bans={monitor.bans} />}
    </div>
  )
}

const tones: Record<ReturnType<typeof fileAgeTone>, Tone> = { green: 'leaf', yellow: 'wheat', red: 'brick' }

function FileLine({ file: { name, sizeFormatted, age, note } }: { file: MonitoredFile }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
      <div className="admin-beside">
        <p className="text-small wrap-anywhere">{name}</p>
        <p className="text-small text-soft">{[sizeFormatted, note].filter(Boolean).join(' · ')}</p>
      </div>
      <Badge tone={tones[fileAgeTone(age)]}>{fileAge(age)}</Badge>
    </li>
  )
}

function Bans({ bans }: Pick<SftpMonitor, 'bans'>) {
  const unban = useUnban()
  return (
    <Card className="admin-box">
      <h3 className="text-xl">Locked after too many wrong passwords</h3>
      <ul className="mt-3 divide-y divide-line">
        {bans.map(({ address, tries, until }) => (
          <li key={address} className="flex flex-wrap items-center justify-between gap-3 py-2">
            <p className="min-w-0 wrap-anywhere">
              <span className="font-mono">{address}</span>{' '}
              <span className="text-small text-soft">
                {tries} tries, until {shownMoment(until, 'time')}
              </span>
            </p>
            <Button
              kind="quiet"
              onClick={() => unban.mutate(address)}
              pending={unban.isPending && unban.variables === address}
            >
              Let in again
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Under 5 minutes green, under 60 yellow, else red. */
export function fileAgeTone(minutes: number): 'green' | 'yellow' | 'red' {
  if (minutes < fileAgeMinutes.green) return 'green'
  return minutes < fileAgeMinutes.yellow ? 'yellow' : 'red'
}

/** The age in minutes, hours or days. */
export function fileAge(minutes: number): string {
  if (minutes < 60) return counted(Math.max(0, Math.floor(minutes)), 'minute')
  if (minutes < 24 * 60) return counted(Math.floor(minutes / 60), 'hour')
  return counted(Math.floor(minutes / (24 * 60)), 'day')
}
