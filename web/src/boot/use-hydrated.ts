import { startTransition, useEffect, useState } from 'react'
import { deferUntilInteraction } from './first-interaction.ts'

/** False for as long as a page is what the server drew, and is read: for parts that the server does not draw. */
export function useHydrated(): boolean {
  const [hydrated, setHydrated] = useState(false)
  useEffect(() => {
    const isHydrated = () => startTransition(() => setHydrated(true))
    const reading = deferUntilInteraction()
    if (reading) void reading.then(isHydrated)
    else isHydrated()
  }, [])
  return hydrated
}
