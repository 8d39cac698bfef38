import { startTransition, useEffect, useState } from 'react'

/** False for as long as a page is what the server drew: for parts that the server does not draw. */
export function useHydrated(): boolean {
  const [hydrated, setHydrated] = useState(false)
  useEffect(() => startTransition(() => setHydrated(true)), [])
  return hydrated
}
