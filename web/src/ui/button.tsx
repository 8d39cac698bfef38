import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Spinner } from './spinner.tsx'

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger'

const base =
  'inline-flex min-h-11 max-w-full items-center justify-center gap-2 rounded-card px-5 py-2 text-base leading-snug font-medium ' +
  'text-center transition-colors duration-150 disabled:opacity-60 aria-disabled:opacity-60 print:hidden'

const kinds: Record<ButtonKind, string> = {
  primary: 'bg-pine text-on-pine forced-colors:border not-disabled:not-aria-disabled:hover:bg-pine-strong',
  secondary:
    'border border-line-strong bg-raised text-ink not-disabled:not-aria-disabled:hover:border-pine not-disabled:not-aria-disabled:hover:bg-pine-tint',
  quiet: 'text-pine not-disabled:not-aria-disabled:hover:bg-pine-tint',
  danger: 'bg-brick text-on-brick forced-colors:border not-disabled:not-aria-disabled:hover:bg-brick-strong',
}

/** The classes of a button, for links that look like one. */
export const buttonClass = (kind: ButtonKind = 'primary', extra?: string): string =>
  classNames(base, kinds[kind], extra)

interface ButtonProps extends ComponentProps<'button'> {
  kind?: ButtonKind
  /** Before the label. */
  icon?: LucideIcon
  /** While the action runs: the button does nothing and shows `pendingLabel`, or else its own label. */
  pending?: boolean
  pendingLabel?: ReactNode
}

/**
 * A push button; `type` defaults to `button`, so that none submits a form by accident. If it is pending or
 * `aria-disabled`, it does nothing but stays focused, while a `disabled` button loses the focus.
 */
export function Button({
  kind = 'primary',
  icon: Icon,
  pending = false,
  pendingLabel,
  className,
  disabled,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const inert = pending || rest['aria-disabled'] === true
  return (
    <button
      type="button"
      className={buttonClass(kind, className)}
      disabled={disabled && !pending}
      onClick={inert ? doNothing : onClick}
      {...rest}
      aria-disabled={inert || undefined}
    >
      {pending && <Spinner size="small" />}
      {pending && pendingLabel !== undefined ? (
        pendingLabel
      ) : (
        <>
          {Icon && <Icon className="size-5" />}
          {children}
        </>
      )}
    </button>
  )
}

/** Also stops Enter in a field, which submits the form by a click on its submit button. */
const doNothing = (event: MouseEvent) => event.preventDefault()
