import { classNames } from '../lib/class-names.ts'

/** A spinner. A small one stands beside a label; alone it announces `label` itself. */
export function Spinner({ size = 'large', label }: { size?: 'small' | 'large'; label?: string }) {
  return (
    <span role={label ? 'status' : undefined} className="inline-flex">
      <span
        aria-hidden="true"
        className={classNames(
          'animate-spin rounded-full border-current border-r-transparent forced-color-adjust-none',
          size === 'small' ? 'size-4 border-2' : 'size-9 border-2 text-pine',
        )}
      />
      {label && <span className="sr-only">{label}</span>}
    </span>
  )
}

export function PageSpinner() {
  return (
    <div className="page flex min-h-[60vh] items-center justify-center">
      <Spinner label="Loading" />
    </div>
  )
}
