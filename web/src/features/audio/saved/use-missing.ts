import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { useMemo } from 'react'
import { usePrefersSmall } from '../data-choices.ts'
import { chosenRecording } from '../recording-choice.ts'
import { savedOf, useSavedShelf } from './saved.ts'
import { collectionWords } from './saved-status.ts'
import type { useWish } from './use-save-request.ts'

/** The recordings that are not on this device yet, and a function that saves them, in the chosen size. */
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
    // In their order, so that the first are complete if the page is closed early.
    void wish((device) =>
      device.saveRecordings(
        missing,
        rows.filter(({ uid }) => uids.has(uid)),
      ),
    )
  }
  return {
    missing,
    /** For a collection of which none is missing. */
    words: collectionWords(chosen.map((row) => savedOf(row.audioUrl, shelf))),
    bytes: missing.reduce((sum, { audioBytes }) => sum + (audioBytes ?? 0), 0),
    save,
  }
}
