import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachingIndexInSteps, type TeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import { useEffect, useMemo, useState } from 'react'
import { inIdleTime, inSlices } from '../../boot/idle-slices.ts'

/**
 * The rows that match the query, best first; all of them for an empty query; undefined while the index is being built.
 * It is built in idle time, and faster once the user types, always in slices that do not block typing.
 */
export function useTeachingSearch(rows: readonly Teaching[], query: string): readonly Teaching[] | undefined {
  const text = query.trim()
  const index = useIndex(rows, text !== '')
  return useMemo(() => (text === '' ? rows : index?.search(text)), [rows, text, index])
}

function useIndex(rows: readonly Teaching[], wanted: boolean): TeachingIndex<Teaching> | undefined {
  const building = useMemo(() => ({ rows, steps: teachingIndexInSteps(rows) }), [rows])
  const [built, setBuilt] = useState<{ rows: readonly Teaching[]; index: TeachingIndex<Teaching> }>()
  const done = built?.rows === rows
  useEffect(() => {
    if (done) return undefined
    return (wanted ? inSlices : inIdleTime)(building.steps, (index) =>
      setBuilt({ rows: building.rows, index }),
    )
  }, [building, wanted, done])
  // After a small change the previous index answers until the new one is built, but not the index of a much larger or
  // smaller list.
  return built && isNearly(built.rows.length, rows.length) ? built.index : undefined
}

const isNearly = (a: number, b: number) => Math.min(a, b) >= Math.max(a, b) * 0.9
