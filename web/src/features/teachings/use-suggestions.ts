import { searchSuggestions, type SearchSuggestion } from '@fellowship/schema/teachings/search-suggestions'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useMemo, useState, type KeyboardEvent } from 'react'
import { useAfterPaint } from '../../lib/use-after-paint.ts'

interface UseSuggestions {
  suggestions: readonly SearchSuggestion[]
  /** The selected suggestion, which Enter applies; -1 without one. */
  active: number
  /** For the search field. */
  onKeyDown: (event: KeyboardEvent) => void
}

/**
 * Suggestions for the typed text, and the keys to choose one: arrows, Enter, Escape. They follow typing, never delay it.
 */
export function useSuggestions(
  rows: readonly Teaching[] | undefined,
  query: string,
  onChoose: (suggestion: SearchSuggestion) => void,
): UseSuggestions {
  const typed = useAfterPaint(query)
  const suggest = useMemo(() => rows && searchSuggestions(rows), [rows])
  const all = useMemo(() => suggest?.(typed) ?? none, [suggest, typed])
  const [{ about, active, isAway }, setChoice] = useState(untouched)
  const isCurrent = about === query
  const suggestions = query.trim() === '' || (isCurrent && isAway) ? none : all
  const at = isCurrent ? Math.min(active, suggestions.length - 1) : -1

  const onKeyDown = (event: KeyboardEvent) => {
    if (suggestions.length === 0) return
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move !== undefined) {
      const places = suggestions.length + 1
      setChoice({ about: query, active: ((at + 1 + move + places) % places) - 1, isAway: false })
    } else if (event.key === 'Enter' && at >= 0) onChoose(suggestions[at]!)
    // The browser clears the field at the second Escape.
    else if (event.key === 'Escape') setChoice({ about: query, active: -1, isAway: true })
    else return
    event.preventDefault()
  }
  return { suggestions, active: at, onKeyDown }
}

const none: readonly SearchSuggestion[] = []
const untouched = { about: '', active: -1, isAway: false }
