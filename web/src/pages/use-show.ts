import { useEffect, useState } from 'react'
import { savedKnown, useSavedShelf } from '../features/audio/saved/saved.ts'
import { standingOf } from '../features/sync/status-words.ts'
import { useDeviceSync } from '../features/sync/use-device-sync.ts'

type Show = 'saved' | 'all'

/**
 * Which part of the library is shown: what the address asks for; otherwise everything, or, without a line, what is
 * saved here, if anything is. The browser's own word about the line is a hint, the outcome of the first pull is the
 * truth; it is followed once, and not under the hands of somebody who began to use the page.
 */
export function useShow(asked: Show | undefined): Show {
  const sync = useDeviceSync()
  const shelf = useSavedShelf()
  const [decided, setDecided] = useState<Show>()
  const hinted = typeof navigator !== 'undefined' && !navigator.onLine
  const standing = sync && standingOf(sync)
  const offline = standing === 'offline' || (standing !== 'fresh' && hinted)
  const anySaved = [...shelf.byKey.values()].some(({ state }) => state === 'ready')
  const certain = shelf.status !== 'unknown' && (offline || standing === 'fresh' || standing === 'failed')

  useEffect(() => {
    if (hinted) void savedKnown()
  }, [hinted])
  if (certain && decided === undefined) setDecided(offline && anySaved ? 'saved' : 'all')
  useEffect(() => {
    const touched = () => setDecided((before) => before ?? 'all')
    const events = ['pointerdown', 'keydown', 'wheel'] as const
    for (const name of events) addEventListener(name, touched, { passive: true, once: true })
    return () => {
      for (const name of events) removeEventListener(name, touched)
    }
  }, [])
  return asked ?? decided ?? 'all'
}
