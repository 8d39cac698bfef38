import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import {
  finish,
  teachingIndexInSteps,
  type TeachingIndex,
} from '@fellowship/schema/teachings/teaching-search'
import { useEffect, useMemo } from 'react'
import { inIdleTime } from '../../lib/in-idle-time.ts'

/**
 * The rows that answer the query, best first; all of them for an empty query. The index is built while nobody
 * waits: step by step when the browser is idle, or at the first keystroke if that comes sooner.
 */
export function useTeachingSearch(rows: readonly Teaching[], query: string): readonly Teaching[] {
  const index = useIndex(rows)
  const asked = query.trim()
  return useMemo(() => (asked === '' ? rows : index.get().search(asked)), [rows, asked, index])
}

function useIndex(rows: readonly Teaching[]) {
  const index = useMemo(() => indexInMaking(rows), [rows])
  useEffect(() => index.start(), [index])
  return index
}

function indexInMaking(rows: readonly Teaching[]) {
  const steps = teachingIndexInSteps(rows)
  let made: TeachingIndex<Teaching> | undefined
  return {
    start: () => (made ? undefined : inIdleTime(steps, (index) => (made ??= index))),
    get: () => (made ??= finish(steps)),
  }
}
