import { teachingAt, teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useSavedShelf } from '../features/audio/saved/saved.ts'
import { savedRows } from '../features/audio/saved/saved-rows.list.ts'
import type { Library } from '../features/teachings/library.ts'
import { useRefreshAnswer } from './use-refresh-answer.ts'

interface TeachingAt {
  /** Null until it is found. */
  teaching: ListedTeaching | null
  /** The loaded rows of the library, newest first; they always include the neighbours of the teaching. */
  rows: readonly Teaching[]
  /** notFound: neither replica nor server has it · noAnswer: the server did not respond. False if it is found, or until both have been read. */
  missing: 'notFound' | 'noAnswer' | false
}

/**
 * The teaching of the address: from the page as the server rendered it, then from the replica, or from the saved
 * recordings. If it is absent, pulls once, as a link may be newer than the replica. When the teaching is found, the
 * address becomes its own.
 *
 * @param refresh pulls from the server and returns whether it responded
 */
export function useTeachingAt(
  pathname: string,
  library: Library,
  refresh: () => Promise<boolean>,
): TeachingAt {
  const first = firstPartOf(pathname)?.rows
  const shelf = useSavedShelf()
  const whole = library.status === 'ready' && !library.partial
  const rows = library.status === 'ready' ? library.rows : none
  const known = useMemo(() => teachingAt(rows, pathname), [rows, pathname])
  const drawn = useMemo(() => first && teachingAt(first, pathname), [first, pathname])
  const absent = known === undefined && (whole || library.status === 'failed')
  const saved = useMemo(
    () => (absent ? teachingAt(savedRows(shelf, none), pathname) : undefined),
    [absent, shelf, pathname],
  )
  const answer = useRefreshAnswer(absent, pathname, refresh)
  // The rendered page may be newer than the replica, unless the server has answered without this teaching.
  const kept = answer === true ? saved : (drawn ?? saved)
  const teaching = (whole ? known : (drawn ?? known)) ?? kept ?? null
  useOwnAddress(pathname, teaching)
  return {
    teaching,
    rows: !whole && first ? first : rows,
    missing: teaching === null && answer !== undefined && (answer ? 'notFound' : 'noAnswer'),
  }
}

/** Replaces an address with an earlier title or date by the present one, and preserves its start second. */
function useOwnAddress(pathname: string, teaching: ListedTeaching | null): void {
  const navigate = useNavigate()
  const wanted = useLocation({ select: (location) => location.pathname })
  const search = useLocation({ select: (location) => location.searchStr })
  const own = teaching && teachingPath(teaching)
  useEffect(() => {
    // Not if another page is already requested.
    if (own === null || own === pathname || wanted !== pathname) return
    void navigate({ href: own + search, replace: true, resetScroll: false })
  }, [own, pathname, wanted, search, navigate])
}

const none: readonly Teaching[] = []
