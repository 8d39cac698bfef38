import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import type { ListeningStatus } from '@fellowship/sync/client/listening/listening-accounts'
import { useOnline } from '../../lib/use-online.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../sync/status-words.ts'
import { claimAnonymousListening } from './keeping.device.ts'

interface ListeningSyncStatusProps {
  userId: number
  keeping: ListeningStatus
}

/** The state of sync with the account, the rejected entries, and the data from before signing in. */
export function ListeningSyncStatus({ userId, keeping }: ListeningSyncStatusProps) {
  const online = useOnline()
  const { rejected, anonymous } = keeping
  return (
    <>
      <output className="mt-3 block text-small">{statusText(keeping, online)}</output>
      {rejected.length > 0 && (
        <p className="mt-2 text-small text-brick">{texts.refused(rejected.length, rejected[0]!)}</p>
      )}
      {anonymous > 0 && (
        <div className="mt-3">
          <p className="text-small text-soft">{texts.anonymous}</p>
          <Button kind="secondary" className="mt-2" onClick={() => void claimAnonymousListening(userId)}>
            Add it to mine
          </Button>
        </div>
      )}
    </>
  )
}

function statusText({ account, unsent }: ListeningStatus, online: boolean): string {
  const { attempts = 0, lastError, syncedAt } = account ?? {}
  const isOffline = !online || (attempts > 0 && lastError?.code === 'network')
  const waiting = unsent > 0 ? `${texts.waiting(unsent)}.` : ''
  if (isOffline) return `Offline. ${waiting}`.trim()
  if (attempts > 0 && lastError) return `Could not update: ${lastError.sentence} ${waiting}`.trim()
  if (waiting) return waiting
  return syncedAt === undefined ? 'Updating…' : `Up to date, ${ago(Date.now() - syncedAt)}.`
}
