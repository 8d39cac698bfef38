import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Field, Input } from '../../ui/field.tsx'

interface FinderInputProps {
  label: string
  maxLength: number
  placeholder?: string
  query: string
  onQuery: (query: string) => void
}

/** A search field whose list filters while typing, so Enter does not submit a form around it. */
export function FinderInput({ label, query, onQuery, ...rest }: FinderInputProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          {...rest}
          type="search"
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      )}
    </Field>
  )
}

interface FinderChoiceProps extends Omit<
  ComponentProps<'button'>,
  'type' | 'className' | 'children' | 'title'
> {
  icon: LucideIcon
  title: string
  /** A line below the title. */
  note: string
}

/** A search result in a list: the whole line is the button. */
export function FinderChoice({ icon: Icon, title, note, ...rest }: FinderChoiceProps) {
  return (
    <li>
      <button
        type="button"
        className="flex min-h-11 w-full items-center gap-3 rounded-card px-2 py-2 text-left hover:bg-pine-tint"
        {...rest}
      >
        <Icon className="size-5 shrink-0 text-pine" />
        <span className="min-w-0 wrap-anywhere">
          <span className="block">{title}</span> <span className="block text-small text-soft">{note}</span>
        </span>
      </button>
    </li>
  )
}
