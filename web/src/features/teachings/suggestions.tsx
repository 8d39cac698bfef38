import { type SearchSuggestion, searchSuggestions } from '@fellowship/schema/teachings/search-suggestions'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { BookOpen, UserRound } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { useAfterPaint } from '../../lib/use-after-paint.ts'

interface SuggestionsProps {
  id: string
  suggestions: readonly SearchSuggestion[]
  active: number
  onChoose: (suggestion: SearchSuggestion) => void
}

/**
 * Speakers and books in one line below the search field, which scrolls sideways on a phone. The focus stays in the field,
 * whose arrow keys move through them.
 */
export function Suggestions({ id, suggestions, active, onChoose }: SuggestionsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [active])
  return (
    <div
      ref={list}
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="listbox"
      aria-label="Suggestions"
      className="flex min-w-0 items-center gap-2 overflow-x-auto"
    >
      {suggestions.map(({ part, value }, at) => {
        const Icon = part === 'speaker' ? UserRound : BookOpen
        return (
          <div
            key={`${part} ${value}`}
            id={optionId(id, at)}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            aria-selected={at === active}
            tabIndex={-1}
            // The focus, and with it a phone's keyboard, stays in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose({ part, value })}
            onKeyDown={(event) => event.key === 'Enter' && onChoose({ part, value })}
            className={classNames(
              'inline-flex shrink-0 cursor-pointer items-center gap-2 rounded-full border px-4 py-1.5 whitespace-nowrap transition-colors',
              at === active
                ? 'border-pine bg-pine text-on-pine'
                : 'border-line-strong bg-raised text-ink hover:border-pine hover:bg-pine-tint',
            )}
          >
            <Icon className="size-4 shrink-0" />
            <span>
              {value}
              <span className="sr-only">{part === 'speaker' ? ', speaker' : ', book of the Bible'}</span>
            </span>
          </div>
        )
      })}
    </div>
  )
}

export const optionId = (listId: string, at: number): string => `${listId}-${at}`

interface UseSuggestions {
  suggestions: readonly SearchSuggestion[]
  /** The selected suggestion, which Enter applies; -1 without one. */
  active: number
  onKeyDown: (event: KeyboardEvent) => void
}

/**
 * Suggestions for the typed text, and the keys to choose one: arrows, Enter, Escape. They follow typing, never delay it.
 */
export function useSuggestions(
  rows: readonly ListedTeaching[] | undefined,
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
