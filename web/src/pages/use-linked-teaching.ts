import { startSecond } from '@fellowship/schema/teachings/share-link'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePlayer, usePlayerState } from '../features/audio/player/use-player.ts'
import { rowId } from '../features/teachings/teaching-row.tsx'
import { useIsHere } from './use-is-here.ts'

/** The target of a link: a teaching and a position in it. */
export interface LinkTarget {
  uid: string
  /** Seconds from the beginning. */
  at: number
  /** False for the player's own link to the open teaching. */
  sent: boolean
}

interface LinkedTeaching {
  target: LinkTarget | null
  /** Null where the known rows do not include it. */
  teaching: Teaching | null
  /** notFound: neither replica nor server has it · noAnswer: the server did not respond. False during the request. */
  missing: 'notFound' | 'noAnswer' | false
}

/**
 * `?t=<uid>&at=<seconds>`: scrolls to the teaching and focuses its row once it is known, then removes the parameters
 * from the URL so that the same link works again.
 *
 * @param rows the teachings loaded so far
 * @param whole whether `rows` is complete
 * @param refresh pulls from the server and returns whether it responded: a link may be newer than the replica
 */
export function useLinkedTeaching(
  rows: readonly Teaching[],
  whole: boolean,
  refresh: () => Promise<boolean>,
): LinkedTeaching {
  const t = useSearch({ from: '/teaching', select: (search) => search.t?.toLowerCase() })
  const at = useSearch({ from: '/teaching', select: (search) => search.at })
  const navigate = useNavigate()
  const isHere = useIsHere()
  // The router scrolls to the top once it has shown the page; what is scrolled to before that would be lost.
  const settled = useRouterState({
    select: ({ resolvedLocation, location }) => resolvedLocation?.href === location.href,
  })
  const openUid = usePlayerState(usePlayer(), (state) => state.recording?.uid ?? null)
  const [target, setTarget] = useState<LinkTarget | null>(null)
  const [answer, setAnswer] = useState<{ of: string; answered: boolean }>()
  const second = startSecond(at) ?? 0
  if (t !== undefined && (target?.uid !== t || target.at !== second))
    setTarget({ uid: t, at: second, sent: openUid !== t })
  const teaching = (target && rows.find(({ uid }) => uid === target.uid)) ?? null
  const absent = target !== null && whole && !teaching
  const found = teaching !== null

  useEffect(() => {
    if (t === undefined || !settled || !(found || absent) || !isHere()) return
    const pull = async () => {
      // An earlier result for the same link may be stale.
      setAnswer(undefined)
      setAnswer({ of: t, answered: await refresh() })
    }
    if (absent) void pull()
    const row = document.getElementById(rowId({ uid: t }))
    row?.scrollIntoView({ block: 'center' })
    row?.focus({ preventScroll: true })
    void navigate({
      to: '/teaching',
      search: (before) => ({ ...before, t: undefined, at: undefined }),
      replace: true,
      resetScroll: false,
    })
  }, [t, settled, found, absent, refresh, isHere, navigate])

  const isAnswered = absent && answer?.of === target.uid
  const missing = isAnswered && (answer.answered ? 'notFound' : 'noAnswer')

  return { target, teaching, missing }
}
