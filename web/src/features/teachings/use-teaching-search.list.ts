import { type TeachingIndex, teachingIndexInSteps } from '@fellowship/schema/teachings/teaching-search'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useEffect, useMemo, useState } from 'react'
import { inIdleTime, inSlices } from '../../lib/idle-slices.ts'

/**
 * Searches the rows. The index is built in idle time, faster once the user types, and always in slices that do not block
 * typing. If the rows of this device cannot be indexed, for example when the browser damaged one, the server searches.
 */
export function useTeachingSearch(rows: readonly ListedTeaching[], query: string): TeachingSearch {
  const text = query.trim()
  const index = useIndex(rows, text !== '')
  const here = useMemo(() => (text === '' ? rows : index && searched(index, text)), [rows, text, index])
  const there = useServerSearch(here === 'damaged' ? text : undefined)
  return useMemo(() => (here === 'damaged' ? there : { matches: here, failed: undefined }), [here, there])
}

type Index = TeachingIndex<ListedTeaching> | 'damaged'

function searched(index: Index, text: string): readonly ListedTeaching[] | 'damaged' {
  if (index === 'damaged') return index
  try {
    return index.search(text)
  } catch {
    return 'damaged'
  }
}

function useIndex(rows: readonly ListedTeaching[], wanted: boolean): Index | undefined {
  const building = useMemo(() => ({ rows, steps: buildSafely(rows) }), [rows])
  const [built, setBuilt] = useState<{ rows: readonly ListedTeaching[]; index: Index }>()
  const done = built?.rows === rows
  useEffect(() => {
    if (done) return undefined
    return (wanted ? inSlices : inIdleTime)(building.steps, (index) =>
      setBuilt({ rows: building.rows, index }),
    )
  }, [building, wanted, done])
  // After a small change the previous index is used until the new one is built, but not if the list became much larger or
  // smaller.
  if (!built || !isNearly(built.rows.length, rows.length)) return undefined
  return done || built.index !== 'damaged' ? built.index : undefined
}

function* buildSafely(rows: readonly ListedTeaching[]): Generator<undefined, Index> {
  try {
    return yield* teachingIndexInSteps(rows)
  } catch {
    return 'damaged'
  }
}

const isNearly = (a: number, b: number) => Math.min(a, b) >= Math.max(a, b) * 0.9

interface TeachingSearch {
  /** The matching rows, best first; all rows if the query is empty; undefined while the search runs. */
  readonly matches: readonly ListedTeaching[] | undefined
  readonly failed: string | undefined
}

/** Milliseconds from the last letter to the request. */
const settleMs = 300

function useServerSearch(text: string | undefined): TeachingSearch {
  const [found, setFound] = useState<TeachingSearch & { text: string }>()
  useEffect(() => {
    if (text === undefined) return undefined
    const stop = new AbortController()
    const show = (search: TeachingSearch) => {
      if (!stop.signal.aborted) setFound({ ...search, text })
    }
    const search = () =>
      import('./search-on-server.ts')
        .then(({ searchOnServer }) => searchOnServer(text, stop.signal))
        .then(
          (matches) => show({ matches, failed: undefined }),
          (error: unknown) => show({ matches: undefined, failed: sentenceOfError(error) }),
        )
    const timer = setTimeout(() => void search(), settleMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return found && found.text === text ? found : searching
}

const searching: TeachingSearch = { matches: undefined, failed: undefined }
