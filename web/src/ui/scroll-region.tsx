import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

interface ScrollRegionProps {
  /** The accessible name, read when it is reached by keyboard. */
  label: string
  /** Sets the greatest height. */
  className: string
  children: ReactNode
}

/** A scrolling area inside the page. It is focusable, since without a pointer it is scrolled by the arrow keys. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    <section
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- WCAG 2.1.1: it scrolls by keyboard
      tabIndex={0}
      className={classNames('overflow-y-auto -outline-offset-3', className)}
    >
      {children}
    </section>
  )
}
