import { useId, type ComponentProps, type ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

interface FieldProps {
  label: string
  hint?: ReactNode
  /** The sentence to correct; the control is then marked invalid and described by it. */
  error?: string | undefined
  optional?: boolean
  children: (control: ControlProps) => ReactNode
}

/** What a control needs in order to belong to its label, hint and error. */
export interface ControlProps {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

/** A labelled control with its hint and its error, tied together for screen readers. */
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

/** The look every control shares. 16 px at least: smaller makes phones zoom in. */
export const controlClass =
  'w-full min-h-11 rounded-card border border-line-strong bg-raised px-4 py-2 text-base text-ink ' +
  'placeholder:text-soft transition-colors hover:border-pine focus-visible:outline-offset-0 aria-invalid:border-brick disabled:opacity-60'

/** A line of text. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={classNames(controlClass, className)} {...rest} />
}

/** Several lines of text. */
export function Textarea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={rows} className={classNames(controlClass, 'leading-relaxed', className)} {...rest} />
}

/** The device's own list of choices: it knows best how to be used by thumb, by keyboard and by voice. */
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
