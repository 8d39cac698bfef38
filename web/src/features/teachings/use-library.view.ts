import { useCallback, useEffect, useMemo, useState } from 'react'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import {
  deferUntilInteraction,
  markContentPainted,
  preloadReplica,
  whenContentPainted,
} from '../../boot/phases.ts'
import { firstTeachings } from '../../boot/first-data.ts'
import { runWhenLoaded } from '../../lib/run-when-loaded.ts'
import { emptyOutboxView, type Library, type OutboxView } from './library.ts'

interface UseLibrary {
  /** The rows of the replica with the outbox applied. */
  library: Library
  outbox: OutboxView
  /** Pulls from the server; resolves to whether it answered. The rows stay on the screen in either case. */
  refresh: () => Promise<boolean>
  retry: () => void
}

/** The library as a user sees it, live. IndexedDB is opened after the first paint. */
export function useLibrary(userId: number | undefined): UseLibrary {
  const [library, setLibrary] = useState<Library>(initialLibrary)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const load = async (isOver: () => boolean) => {
      if (firstTeachings()) {
        markContentPainted()
        await deferUntilInteraction()
        await preloadReplica()
      }
      const rows = await import('./first-rows.ts').then((part) => part.takeFirstRows()).catch(() => undefined)
      if (isOver()) return undefined
      if (rows) setLibrary({ status: 'ready', rows, partial: true })
      markContentPainted()
      // The full replica and the sync code load once the first rows are painted.
      if (rows) await whenContentPainted()
      const { watchLibrary } = await import('./teachings.device.ts')
      return () => watchLibrary(setLibrary)
    }
    return runWhenLoaded(load, (error) => setLibrary({ status: 'failed', sentence: sentenceOfError(error) }))
  }, [attempt])
  const outbox = useOutboxView(userId)
  const shown = useMemo(
    () => (library.status === 'ready' ? { ...library, rows: outbox.apply(library.rows) } : library),
    [library, outbox],
  )
  const retry = useCallback(() => {
    setLibrary({ status: 'loading' })
    setAttempt((count) => count + 1)
  }, [])
  const refresh = useCallback(
    () =>
      import('./teachings.device.ts')
        .then(async ({ refreshLibrary, readLibrary }) => {
          await refreshLibrary()
          // The caller needs the new rows at once; the live query emits them a moment later.
          const now = await readLibrary().catch(() => undefined)
          if (now) setLibrary(now)
        })
        .then(
          () => true,
          () => false,
        ),
    [],
  )
  return { library: shown, outbox, refresh, retry }
}

function useOutboxView(userId: number | undefined): OutboxView {
  const [outbox, setOutbox] = useState(emptyOutboxView)
  useEffect(() => {
    // If the code fails to load, useLibrary reports it.
    const stop = runWhenLoaded(async () => {
      await deferUntilInteraction()
      await whenContentPainted()
      const { watchOutboxView } = await import('./teachings.device.ts')
      return () => watchOutboxView(userId, setOutbox)
    })
    return () => {
      stop()
      setOutbox(emptyOutboxView)
    }
  }, [userId])
  return outbox
}

/** The rows of the prerendered page, until the replica has been read. */
function initialLibrary(): Library {
  const rows = firstTeachings()
  return rows ? { status: 'ready', rows, partial: true } : { status: 'loading' }
}
