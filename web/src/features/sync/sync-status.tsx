import { classNames } from '../../lib/class-names.ts'
import { useNow } from '../../lib/use-now.ts'
import { useOfflineSince } from '../../lib/use-online.ts'
import { standingOf, statusWords } from './status-words.ts'
import { useDeviceSync } from './use-device-sync.ts'

export function SyncStatus() {
  const sync = useDeviceSync()
  const now = useNow()
  const offlineSince = useOfflineSince()
  const words = sync ? statusWords(sync, now, offlineSince) : ''
  const standing = sync && standingOf(sync, offlineSince)
  return (
    <p className="flex min-h-6 items-center gap-2">
      {words !== '' && (
        <span
          aria-hidden="true"
          className={classNames('size-2 shrink-0 rounded-full', dots[standing ?? 'never'])}
        />
      )}
      <span>{words}</span>
      {/* Announced when the kind of status changes, not at every minute. */}
      <output className="sr-only">
        {standing === 'offline' && 'You are offline.'}
        {standing === 'failed' && words}
      </output>
    </p>
  )
}

const dots = {
  never: 'bg-line-strong',
  updating: 'bg-wheat',
  fresh: 'bg-leaf',
  offline: 'bg-line-strong',
  failed: 'bg-brick',
}
