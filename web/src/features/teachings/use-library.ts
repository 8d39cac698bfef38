import { useCallback, useEffect, useState } from 'react'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { contentIsShown, contentShown } from '../../lib/first-content.ts'
import type { Library } from './library.ts'

interface UseLibrary {
  library: Library
  /** Asks the server for what is new; what is on the screen stays meanwhile, and if it fails. */
  refresh: () => void
  /** After a failure: begins anew. */
  retry: () => void
}

/** The library as it changes. The device's database is opened after the page is drawn. */
export function useLibrary(): UseLibrary {
  const [library, setLibrary] = useState<Library>({ status: 'loading' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let left = false
    let stop: (() => void) | undefined
    const watch = async () => {
      const rows = await import('./first-rows.ts').then((part) => part.takeFirstRows()).catch(() => undefined)
      if (left) return
      if (rows) setLibrary({ status: 'ready', rows, partial: true })
      contentIsShown()
      // All the rows, and what speaks with the server, come when the first are on the screen.
      if (rows) await contentShown()
      const { watchLibrary } = await import('./teachings-device.ts')
      if (!left) stop = watchLibrary(setLibrary)
    }
    watch().catch((error: unknown) => setLibrary({ status: 'failed', sentence: sentenceOfError(error) }))
    return () => {
      left = true
      stop?.()
    }
  }, [attempt])
  const retry = useCallback(() => {
    setLibrary({ status: 'loading' })
    setAttempt((count) => count + 1)
  }, [])
  const refresh = useCallback(() => {
    void import('./teachings-device.ts').then(({ refreshLibrary }) => refreshLibrary()).catch(() => undefined)
  }, [])
  return { library, refresh, retry }
}
