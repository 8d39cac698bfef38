import { useEffect, useState } from 'react'
import { savedKnown, useSavedShelf } from '../features/audio/saved/saved.ts'
import { standingOf } from '../features/sync/status-words.ts'
import { useDeviceSync } from '../features/sync/use-device-sync.ts'
import { listen } from '../lib/listen.ts'

export type Show = 'saved' | 'new' | 'all'

/**
 * The shown part of the library: that of the URL; otherwise all, or the saved recordings when offline, if there
 * are any. `navigator.onLine` is only a hint: the result of the first pull decides, unless the user has already begun to
 * use the page. Once the server answers again, all are shown, so that a search misses none.
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
  if (decided === 'saved' && standing === 'fresh') setDecided('all')
  useEffect(() => {
    const onInput = () => setDecided((before) => before ?? 'all')
    return listen(window, ['pointerdown', 'keydown', 'wheel'], onInput, { passive: true, once: true })
  }, [])
  return asked ?? decided ?? 'all'
}
