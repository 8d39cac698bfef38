import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Spinner } from './spinner.tsx'

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger'

const base =
  'inline-flex min-h-11 max-w-full items-center justify-center gap-2 rounded-card px-5 py-2 text-base leading-snug font-medium ' +
  'text-center transition-colors duration-150 disabled:opacity-60 aria-disabled:opacity-60'

const kinds: Record<ButtonKind, string> = {
  primary: 'bg-pine text-on-pine not-disabled:hover:bg-pine-strong',
  secondary:
    'border border-line-strong bg-raised text-ink not-disabled:hover:border-pine not-disabled:hover:bg-pine-tint',
  quiet: 'text-pine not-disabled:hover:bg-pine-tint',
  danger: 'bg-brick text-on-brick not-disabled:hover:bg-brick-strong',
}

/** The look of a button, for links that should stand out like one. */
export const buttonClass = (kind: ButtonKind = 'primary', extra?: string): string =>
  classNames(base, kinds[kind], extra)

interface ButtonProps extends ComponentProps<'button'> {
  kind?: ButtonKind
  /** While something runs: the button cannot be pressed again, and shows `pendingLabel` or its own words. */
  pending?: boolean
  pendingLabel?: ReactNode
}

/** A push button; `type` is `button` unless said otherwise, so that none submits a form by accident. */
export function Button({
  kind = 'primary',
  pending = false,
  pendingLabel,
  className,
  disabled,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button type="button" className={buttonClass(kind, className)} disabled={disabled || pending} {...rest}>
      {pending && <Spinner size="small" />}
      {pending && pendingLabel !== undefined ? pendingLabel : children}
    </button>
  )
}
