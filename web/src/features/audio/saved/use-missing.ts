import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { useMemo } from 'react'
import { usePrefersSmall } from '../../../lib/comfort.ts'
import { chosenRecording } from '../recording-choice.ts'
import { savedOf, useSavedShelf } from './saved.ts'
import type { useWish } from './use-save-request.ts'

/** Which of these recordings are not on this device yet, and what saves them; in the size that the listener chose. */
export function useMissing(rows: readonly ListedTeaching[], wish: ReturnType<typeof useWish>['wish']) {
  const shelf = useSavedShelf()
  const small = usePrefersSmall()
  const chosen = useMemo(() => rows.map((row) => chosenRecording(row, shelf, small)), [rows, shelf, small])
  const missing = chosen.filter((row) => {
    const state = savedOf(row.audioUrl, shelf)?.state
    return row.audioUrl && row.audioBytes && state !== 'ready' && state !== 'waiting'
  })
  const save = () => {
    const uids = new Set(missing.map(({ uid }) => uid))
    // In their order, in case the page is closed early.
    void wish((device) =>
      device.saveRecordings(
        missing,
        rows.filter(({ uid }) => uids.has(uid)),
      ),
    )
  }
  return {
    missing,
    /** Whether any is on its way. */
    coming: chosen.some((row) => savedOf(row.audioUrl, shelf)?.state === 'waiting'),
    /** Of those that are missing. */
    bytes: missing.reduce((sum, { audioBytes }) => sum + (audioBytes ?? 0), 0),
    save,
  }
}
