import { classNames } from '../lib/class-names.ts'
import { VisuallyHidden } from './visually-hidden.tsx'

/** A turning ring. Small ones sit beside words that say it; alone it says `label` itself. */
export function Spinner({ size = 'large', label }: { size?: 'small' | 'large'; label?: string }) {
  return (
    <span role={label ? 'status' : undefined} className="inline-flex">
      <span
        aria-hidden="true"
        className={classNames(
          'animate-spin rounded-full border-current border-r-transparent forced-color-adjust-none',
          size === 'small' ? 'size-4 border-2' : 'size-9 border-3 text-pine',
        )}
      />
      {label && <VisuallyHidden>{label}</VisuallyHidden>}
    </span>
  )
}

/** A spinner alone in the middle of a page that is not there yet. */
export function PageSpinner({ label = 'Loading' }: { label?: string }) {
  return (
    <div className="page flex min-h-[60vh] items-center justify-center">
      <Spinner label={label} />
    </div>
  )
}
