import { useId, type ComponentProps, type ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

interface FieldProps {
  label: string
  hint?: ReactNode
  /** The validation message; the control is then marked invalid and described by it. */
  error?: string | undefined
  optional?: boolean
  children: (control: ControlProps) => ReactNode
}

/** The attributes that tie a control to its label, hint and error. */
interface ControlProps {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

/** A labelled control with hint and validation message, tied together for screen readers. */
export function Field({ label, hint, error, optional = false, children }: FieldProps) {
  const id = useId()
  const described = classNames(hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`)
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-small font-medium text-ink">
        {label}
        {optional && <span className="font-normal text-soft"> (optional)</span>}
      </label>
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(error !== undefined && { 'aria-invalid': true as const }),
      })}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-small font-medium text-brick">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="text-small text-soft">
          {hint}
        </div>
      )}
    </div>
  )
}

/** The classes that all controls share. Text of at least 16 px, or iOS zooms in on focus. */
export const controlClass =
  'w-full min-h-11 rounded-card border border-line-strong bg-raised px-4 py-2 text-base text-ink ' +
  'placeholder:text-soft transition-colors hover:border-pine focus-visible:outline-offset-0 aria-invalid:border-brick disabled:opacity-60'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={classNames(controlClass, className)} {...rest} />
}

export function Textarea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={rows} className={classNames(controlClass, 'leading-relaxed', className)} {...rest} />
}

/** The native list of choices, which works by touch, keyboard and voice on every device. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className="relative block">
      <select className={classNames(controlClass, 'appearance-none pr-11', className)} {...rest}>
        {children}
      </select>
      <svg
        viewBox="0 0 16 16"
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-4 size-4 -translate-y-1/2 fill-none stroke-current stroke-2 text-soft"
      >
        <path d="m3.5 6 4.5 4.5L12.5 6" strokeLinecap="round" strokeLinejoin="round" />
      </svg>
    </span>
  )
}
