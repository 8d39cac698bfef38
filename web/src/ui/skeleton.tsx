import { classNames } from '../lib/class-names.ts'

/** A grey place for something on its way; give it the size of what comes, so that nothing jumps. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={classNames('block animate-breathe rounded-card bg-line/70', className)}
    />
  )
}
