import { useCallback, useEffect, useMemo, useState } from 'react'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { markContentPainted, whenContentPainted } from '../../boot/content-painted.ts'
import { preloadReplica } from '../../boot/preload.ts'
import { firstTeachings } from '../../boot/prerender-data.ts'
import { deferUntilInteraction } from '../../boot/first-interaction.ts'
import { emptyOutboxView, type Library, type OutboxView } from './library.ts'

interface UseLibrary {
  /** With what waits on this device. */
  library: Library
  outbox: OutboxView
  /** Asks the server for what is new, and tells whether it answered; what is on the screen stays meanwhile, and if not. */
  refresh: () => Promise<boolean>
  /** After a failure: begins anew. */
  retry: () => void
}

/** The library as this person sees it change. The device's database is opened after the page is drawn. */
export function useLibrary(userId: number | undefined): UseLibrary {
  const [library, setLibrary] = useState<Library>(atFirst)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let left = false
    let stop: (() => void) | undefined
    const watch = async () => {
      if (firstTeachings()) {
        markContentPainted()
        await deferUntilInteraction()
        await preloadReplica()
      }
      const rows = await import('./first-rows.ts').then((part) => part.takeFirstRows()).catch(() => undefined)
      if (left) return
      if (rows) setLibrary({ status: 'ready', rows, partial: true })
      markContentPainted()
      // All the rows, and what speaks with the server, come when the first are on the screen.
      if (rows) await whenContentPainted()
      const { watchLibrary } = await import('./teachings-device.ts')
      if (!left) stop = watchLibrary(setLibrary)
    }
    watch().catch((error: unknown) => setLibrary({ status: 'failed', sentence: sentenceOfError(error) }))
    return () => {
      left = true
      stop?.()
    }
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
      import('./teachings-device.ts')
        .then(async ({ refreshLibrary, readLibrary }) => {
          await refreshLibrary()
          // Whoever asked looks for what came at once, and the device tells of it a moment later.
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
    let left = false
    let stop: (() => void) | undefined
    const watch = async () => {
      await deferUntilInteraction()
      await whenContentPainted()
      const { watchOutboxView } = await import('./teachings-device.ts')
      if (!left) stop = watchOutboxView(userId, setOutbox)
    }
    // The library says that its code did not come.
    watch().catch(() => undefined)
    return () => {
      left = true
      stop?.()
      setOutbox(emptyOutboxView)
    }
  }, [userId])
  return outbox
}

/** Drawn from the first HTML's teachings until the device tells. */
function atFirst(): Library {
  const rows = firstTeachings()
  return rows ? { status: 'ready', rows, partial: true } : { status: 'loading' }
}
