import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from '../lib/class-names.ts'

interface IconButtonProps extends ComponentProps<'button'> {
  /** The accessible name. */
  label: string
  kind?: 'plain' | 'solid' | 'danger'
  /** 20 px wide; another size is given as the child. */
  icon?: LucideIcon
}

const kinds = {
  plain: 'text-soft not-disabled:hover:bg-pine-tint not-disabled:hover:text-pine',
  solid: 'bg-pine text-on-pine forced-colors:border not-disabled:hover:bg-pine-strong',
  danger: 'text-soft not-disabled:hover:bg-brick-tint not-disabled:hover:text-brick',
}

/** A round button with an icon alone, 44 px wide, more with larger text. */
export function IconButton({
  label,
  kind = 'plain',
  icon: Icon,
  className,
  children,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      className={classNames(
        'inline-flex size-11 shrink-0 items-center justify-center rounded-full transition-colors duration-150',
        'disabled:opacity-50',
        kinds[kind],
        className,
      )}
      {...rest}
    >
      {Icon ? <Icon className="size-5" /> : children}
    </button>
  )
}
