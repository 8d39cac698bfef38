import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { openFilters, type LibraryFilters } from '../features/teachings/library.ts'
import { useIsHere } from './use-is-here.ts'

/** The address follows this long after the last letter; a choice it follows at once. */
const settleMs = 300

/**
 * What the library is narrowed to, kept in the address (`q`, `book`, `speaker`, `year`): it can be bookmarked, sent,
 * and survives a reload. The screen leads and the address follows, so that typing waits for nothing; Back, Forward and
 * links lead the screen.
 */
export function useFilters(): [LibraryFilters, (change: Partial<LibraryFilters>) => void] {
  const search = useSearch({ from: '/teaching' })
  const navigate = useNavigate()
  const isHere = useIsHere()
  const address = keyOf({ ...openFilters, ...pick(search) })
  const [filters, setFilters] = useState<LibraryFilters>(() => ({ ...openFilters, ...pick(search) }))
  const [seen, setSeen] = useState(address)
  /** What this page wrote into the address itself: its arrival is no news. */
  const [written, setWritten] = useState<string>()
  if (address !== seen) {
    setSeen(address)
    if (address !== written) {
      setWritten(undefined)
      setFilters({ ...openFilters, ...pick(search) })
    }
  }
  const shown = keyOf(filters)
  const isTyped = keyOf({ ...filters, q: '' }) === keyOf({ ...openFilters, ...pick(search), q: '' })
  useEffect(() => {
    if (shown === address) return
    const timer = setTimeout(
      () => {
        if (!isHere()) return
        setWritten(shown)
        const { q, book, speaker, year } = filters
        void navigate({
          to: '/teaching',
          search: (before) => ({
            ...before,
            q: q.trim() === '' ? undefined : q,
            book: book ?? undefined,
            speaker: speaker ?? undefined,
            year: year ?? undefined,
          }),
          replace: true,
          resetScroll: false,
        })
      },
      isTyped ? settleMs : 0,
    )
    return () => clearTimeout(timer)
  }, [shown, address, filters, isTyped, isHere, navigate])
  const change = useCallback(
    (part: Partial<LibraryFilters>) => setFilters((before) => ({ ...before, ...part })),
    [],
  )
  return [filters, change]
}

interface Named {
  q?: string | undefined
  book?: string | undefined
  speaker?: string | undefined
  year?: number | undefined
}

const pick = ({ q, book, speaker, year }: Named): Partial<LibraryFilters> => ({
  ...(q !== undefined && { q }),
  ...(book !== undefined && { book }),
  ...(speaker !== undefined && { speaker }),
  ...(year !== undefined && { year }),
})

const keyOf = ({ q, book, speaker, year }: LibraryFilters) =>
  JSON.stringify([q.trim() === '' ? '' : q, book, speaker, year])
