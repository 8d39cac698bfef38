import { useEffect, useState } from 'react'
import { listen } from './listen.ts'

/** Epoch milliseconds, updated twice a minute and when the page becomes visible. */
export function useNow(): number {
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
