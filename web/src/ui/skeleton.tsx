import { classNames } from '../lib/class-names.ts'

/** A placeholder while data loads; give it the size of the content, so that the layout does not shift. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={classNames('block animate-breathe rounded-card bg-sunk', className)}
    />
  )
}
