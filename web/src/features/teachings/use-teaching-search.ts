import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachingIndexInSteps, type TeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import { useEffect, useMemo, useState } from 'react'
import { inIdleTime, inSlices } from '../../boot/idle-slices.ts'

/**
 * The rows that answer the query, best first; all of them for an empty query; undefined for the moment in which the
 * index is still being made. It is made while nobody waits, step by step when the browser is idle, and faster as soon
 * as somebody types; never in one go, which would hold up the typing.
 */
export function useTeachingSearch(rows: readonly Teaching[], query: string): readonly Teaching[] | undefined {
  const asked = query.trim()
  const index = useIndex(rows, asked !== '')
  return useMemo(() => (asked === '' ? rows : index?.search(asked)), [rows, asked, index])
}

function useIndex(rows: readonly Teaching[], wanted: boolean): TeachingIndex<Teaching> | undefined {
  const making = useMemo(() => ({ rows, steps: teachingIndexInSteps(rows) }), [rows])
  const [made, setMade] = useState<{ rows: readonly Teaching[]; index: TeachingIndex<Teaching> }>()
  const done = made?.rows === rows
  useEffect(() => {
    if (done) return undefined
    return (wanted ? inSlices : inIdleTime)(making.steps, (index) => setMade({ rows: making.rows, index }))
  }, [making, wanted, done])
  // After a small change the answers of before stand until the new index is there; not those of the first few rows, nor
  // the whole library's for what is saved.
  return made && isNearly(made.rows.length, rows.length) ? made.index : undefined
}

const isNearly = (a: number, b: number) => Math.min(a, b) >= Math.max(a, b) * 0.9
