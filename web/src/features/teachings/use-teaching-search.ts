import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { buildTeachingIndex, type TeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import { useEffect, useMemo, useRef, useState } from 'react'
import { whenIdle } from '../../lib/when-idle.ts'

/**
 * The rows that answer the query, best first; all of them for an empty query. The index is built while nobody
 * waits: when the browser is idle, or at the first keystroke if that comes sooner.
 */
export function useTeachingSearch(rows: readonly Teaching[], query: string): readonly Teaching[] {
  const index = useIndex(rows)
  const asked = query.trim()
  return useMemo(() => (asked === '' ? rows : index().search(asked)), [rows, asked, index])
}

function useIndex(rows: readonly Teaching[]): () => TeachingIndex<Teaching> {
  const built = useRef<{ rows: readonly Teaching[]; index: TeachingIndex<Teaching> } | null>(null)
  const [get] = useState(() => (current: readonly Teaching[]) => {
    if (built.current?.rows !== current) built.current = { rows: current, index: buildTeachingIndex(current) }
    return built.current.index
  })
  useEffect(() => whenIdle(() => void get(rows)), [get, rows])
  return useMemo(() => () => get(rows), [get, rows])
}
