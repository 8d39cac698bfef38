import { startTransition, useEffect, useState } from 'react'
import { deferUntilInteraction } from '../boot/phases.ts'

/** False while the page is as the server rendered it: for parts that are not prerendered. */
export function useHydrated(): boolean {
  const [isHydrated, setHydrated] = useState(false)
  useEffect(() => {
    const show = () => startTransition(() => setHydrated(true))
    const interaction = deferUntilInteraction()
    if (interaction) void interaction.then(show)
    else show()
  }, [])
  return isHydrated
}
