import { processes, usagePercent } from '@fellowship/schema/processes/processes.contract'
import { processTexts } from '@fellowship/schema/processes/processes.texts'
import { RefreshCw } from 'lucide-react'
import { adminQuery, refresh } from '../../lib/admin-query.ts'
import { classNames } from '../../lib/class-names.ts'
import { fileSize } from '../../lib/file-size.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { Section } from '../../ui/section.tsx'

/** The number of running processes against the hosting limit, and their list. */
export function ProcessMonitor() {
  const query = useProcesses()
  return (
    <Section
      title="Processes"
      description="Everything that runs under the server’s account. Leftover processes of this application are ended automatically near the limit."
      actions={
        <Button
          icon={RefreshCw}
          kind="secondary"
          onClick={() => void refreshProcesses()}
          pending={query.isFetching}
        >
          Refresh
        </Button>
      }
    >
      <Loaded query={query} failure={processTexts.loadFailed} height="h-64">
        {({ totalProcesses, processLimit, bcfProcesses, processes: all }) => (
          <>
            <Usage total={totalProcesses} limit={processLimit} own={bcfProcesses} />
            <Card className="mt-5 overflow-hidden">
              <ScrollRegion label="Processes, our own first" className="max-h-160">
                <ul className="divide-y divide-line">
                  {all.map(({ pid, cpu, memory, startTime, command, own }) => (
                    <li key={pid} className="admin-line flex flex-wrap items-center gap-x-6 gap-y-1">
                      <div className="min-w-0 flex-1 basis-64">
                        <code className="text-small wrap-anywhere">{command || '(no name)'}</code>
                        <p className="text-small text-soft">
                          {pid} · since {shownMoment(startTime)}
                        </p>
                      </div>
                      <p className="text-small tabular-nums text-soft">
                        {fileSize(memory)} · {cpu.toFixed(1)} % CPU
                      </p>
                      {own && <Badge tone="pine">ours</Badge>}
                    </li>
                  ))}
                </ul>
              </ScrollRegion>
            </Card>
          </>
        )}
      </Loaded>
    </Section>
  )
}

function Usage({ total, limit, own }: { total: number; limit: number; own: number }) {
  const { colour, message, percent } = usageOf(total, limit)
  return (
    <Card className="admin-box">
      <p className="font-serif text-3xl tabular-nums">
        {total} of {limit}
      </p>
      <p className="text-soft">
        {own} of them {own === 1 ? 'belongs' : 'belong'} to this application.
      </p>
      <div className="mt-4 h-2 overflow-hidden rounded-full bg-sunk" aria-hidden="true">
        <div className={classNames('h-full', bars[colour])} style={{ width: `${Math.min(percent, 100)}%` }} />
      </div>
      <p className={classNames('mt-3 font-medium', words[colour])}>{message}</p>
    </Card>
  )
}

const bars = { green: 'bg-leaf', yellow: 'bg-wheat', red: 'bg-brick' }
const words = { green: 'text-leaf', yellow: 'text-wheat-text', red: 'text-brick' }

const useProcesses = adminQuery(processes.list)

const refreshProcesses = (): Promise<void> => refresh(processes.list, processTexts.loadFailed)

type UsageColour = 'green' | 'yellow' | 'red'

/** Under 70 % green, 70 to 90 % yellow, 90 % and above red, with the message. */
export function usageOf(
  total: number,
  limit: number,
): { colour: UsageColour; message: string; percent: number } {
  const percent = limit > 0 ? (total / limit) * 100 : 100
  if (percent >= usagePercent.red) return { colour: 'red', message: processTexts.critical, percent }
  if (percent >= usagePercent.yellow) return { colour: 'yellow', message: processTexts.warning, percent }
  return { colour: 'green', message: processTexts.healthy, percent }
}
