import type { SearchSuggestion } from '@fellowship/schema/teachings/search-suggestions'
import { BookOpen, UserRound } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { classNames } from '../../lib/class-names.ts'

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
            <Icon aria-hidden="true" className="size-4 shrink-0" />
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
