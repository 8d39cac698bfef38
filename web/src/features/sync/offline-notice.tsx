import { useEffect, useState } from 'react'
import { Notice } from './notice.tsx'
import { useDeviceSync } from './use-device-sync.ts'
import { useOffline } from './use-offline.ts'

/** Shows once per page load that the browser is offline and its consequences; the status line shows it all the time. */
export function OfflineNotice() {
  const sync = useDeviceSync()
  const offline = useOffline()
  const [put, setPut] = useState(false)
  useEffect(() => {
    if (!offline || put) return
    const timer = setTimeout(() => setPut(true), shownMs)
    return () => clearTimeout(timer)
  }, [offline, put])
  // A device without data explains itself on the page.
  if (!offline || put || sync?.syncedAt === undefined) return null
  return (
    <Notice title="You are offline" onClose={() => setPut(true)}>
      The library and what you saved are here. New teaching will appear when you’re back online.
    </Notice>
  )
}

const shownMs = 10_000
