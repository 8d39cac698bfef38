import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { openFilters, type LibraryFilters } from '../features/teachings/library.ts'
import { useIsLibraryWanted } from './use-is-library-wanted.ts'

/** The delay before a typed search is written into the address; other filters are written at once. */
const settleMs = 300

/**
 * The filters of the library, stored in the address (`q`, `book`, `speaker`, `year`), so that they can be bookmarked and
 * shared, and survive a reload. Typing changes the screen first and then the address; Back, Forward and links change the
 * address first.
 */
export function useFilters(): [LibraryFilters, (change: Partial<LibraryFilters>) => void] {
  const search = useSearch({ from: '/teaching' })
  const navigate = useNavigate()
  const isLibraryWanted = useIsLibraryWanted()
  const address = keyOf({ ...openFilters, ...pick(search) })
  const [filters, setFilters] = useState<LibraryFilters>(() => ({ ...openFilters, ...pick(search) }))
  const [seen, setSeen] = useState(address)
  /** The address that this page wrote itself, which must not reset the filters when it comes back. */
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
        if (!isLibraryWanted()) return
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
  }, [shown, address, filters, isTyped, isLibraryWanted, navigate])
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
