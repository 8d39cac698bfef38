import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import type { ListeningKeeping } from '@fellowship/sync/client/listening/listening-keeping'
import { useOnline } from '../../lib/use-online.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../sync/status-words.ts'
import { addNobodys } from './keeping.device.ts'

interface KeepingStandingProps {
  userId: number
  keeping: ListeningKeeping
}

/** How this device stands with the account, what it could not send, and what it holds besides. */
export function KeepingStanding({ userId, keeping }: KeepingStandingProps) {
  const online = useOnline()
  const { refused, nobodys } = keeping
  return (
    <>
      <output className="mt-3 block text-small">{standingWords(keeping, online)}</output>
      {refused.length > 0 && (
        <p className="mt-2 text-small text-brick">{texts.refused(refused.length, refused[0]!)}</p>
      )}
      {nobodys > 0 && (
        <div className="mt-3">
          <p className="text-small text-soft">{texts.nobodys}</p>
          <Button kind="secondary" className="mt-2" onClick={() => void addNobodys(userId)}>
            Add it to mine
          </Button>
        </div>
      )}
    </>
  )
}

function standingWords({ account, unsent }: ListeningKeeping, online: boolean): string {
  const { attempts = 0, lastError, syncedAt } = account ?? {}
  const isOffline = !online || (attempts > 0 && lastError?.code === 'network')
  const waiting = unsent > 0 ? `${texts.waiting(unsent)}.` : ''
  if (isOffline) return `Offline. ${waiting}`.trim()
  if (attempts > 0 && lastError) return `Could not update: ${lastError.sentence} ${waiting}`.trim()
  if (waiting) return waiting
  return syncedAt === undefined ? 'Updating…' : `Up to date, ${ago(Date.now() - syncedAt)}.`
}
