import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

interface ScrollRegionProps {
  /** What is in it, for those who come to it by keyboard. */
  label: string
  /** Its greatest height, and its look. */
  className: string
  children: ReactNode
}

/** What scrolls inside the page. It takes the focus: arrow keys are the only way through it without a pointer. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    <section
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- WCAG 2.1.1: it scrolls by key
      tabIndex={0}
      className={classNames('overflow-y-auto -outline-offset-3', className)}
    >
      {children}
    </section>
  )
}
