import { useEffect, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { listen } from '../../lib/listen.ts'
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

/** Epoch milliseconds, updated twice a minute and when the page becomes visible. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const tick = () => setNow(Date.now())
    const timer = setInterval(tick, 30_000)
    const stop = listen(document, ['visibilitychange'], tick)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [])
  return now
}
