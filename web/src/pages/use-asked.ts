import { askedSecond } from '@fellowship/schema/teachings/share-link'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePlayer, usePlayerState } from '../features/audio/player/use-player.ts'
import { rowId } from '../features/teachings/teaching-row.tsx'
import { useIsHere } from './use-is-here.ts'

/** What a link names: a teaching, and a second of it. */
export interface Asked {
  uid: string
  /** 0 for the beginning. */
  at: number
  /** Opened from outside, not the player's own link to what is playing. */
  sent: boolean
}

interface UseAsked {
  asked: Asked | null
  /** The teaching, where the library has it. */
  teaching: Teaching | null
  /** gone: neither replica nor server has it · unheard: the server could not be asked. False while it is asked. */
  missing: 'gone' | 'unheard' | false
}

/**
 * `?t=<uid>&at=<seconds>`: the teaching is brought into sight whatever page or filter would show it, once the library
 * has it. The address forgets it then, so that the same one can be asked for again.
 *
 * @param rows all that is known so far
 * @param whole nothing is missing from them
 * @param refresh asks the server for what is new, and tells whether it answered: a link may be newer than the device's
 *   copy
 */
export function useAsked(
  rows: readonly Teaching[],
  whole: boolean,
  refresh: () => Promise<boolean>,
): UseAsked {
  const t = useSearch({ from: '/teaching', select: (search) => search.t?.toLowerCase() })
  const at = useSearch({ from: '/teaching', select: (search) => search.at })
  const navigate = useNavigate()
  const isHere = useIsHere()
  const openUid = usePlayerState(usePlayer(), (state) => state.recording?.uid ?? null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [heard, setHeard] = useState<{ of: string; answered: boolean }>()
  const second = askedSecond(at) ?? 0
  if (t !== undefined && (asked?.uid !== t || asked.at !== second))
    setAsked({ uid: t, at: second, sent: openUid !== t })
  const teaching = (asked && rows.find(({ uid }) => uid === asked.uid)) ?? null
  const absent = asked !== null && whole && !teaching
  const found = teaching !== null

  useEffect(() => {
    if (t === undefined || !(found || absent) || !isHere()) return
    const ask = async () => {
      // An earlier answer about the same link may be outdated.
      setHeard(undefined)
      setHeard({ of: t, answered: await refresh() })
    }
    if (absent) void ask()
    const row = document.getElementById(rowId({ uid: t }))
    row?.scrollIntoView({ block: 'center' })
    row?.focus({ preventScroll: true })
    void navigate({
      to: '/teaching',
      search: (before) => ({ ...before, t: undefined, at: undefined }),
      replace: true,
      resetScroll: false,
    })
  }, [t, found, absent, refresh, isHere, navigate])

  const isHeard = absent && heard?.of === asked.uid
  const missing = isHeard && (heard.answered ? 'gone' : 'unheard')

  return { asked, teaching, missing }
}
