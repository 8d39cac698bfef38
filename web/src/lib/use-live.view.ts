import { startTransition, useEffect, useEffectEvent, useState } from 'react'
import { preloadReplica, whenIdle } from '../boot/phases.ts'
import { runWhenLoaded } from './run-when-loaded.ts'

/**
 * Data that is live from the replica; until it has been read that of the prerendered page, or undefined.
 *
 * @param first reads it from the page
 * @param load loads the code that watches the replica; if that fails, the data of the page stays
 */
export function useLive<Data>(
  first: () => Data | undefined,
  load: () => Promise<(onChange: (next: Data) => void) => () => void>,
): Data | undefined {
  const [data, setData] = useState(first)
  const loadNow = useEffectEvent(load)
  useEffect(() => {
    let stop: (() => void) | undefined
    const cancel = whenIdle(() => {
      stop = runWhenLoaded(async () => {
        await preloadReplica()
        const watch = await loadNow()
        return () => watch((next) => startTransition(() => setData(() => next)))
      })
    })
    return () => {
      cancel()
      stop?.()
    }
  }, [])
  return data
}
