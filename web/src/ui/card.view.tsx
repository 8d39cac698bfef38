import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

/** A raised box with a border and a shadow. */
export function Card({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={classNames('rounded-card border border-line bg-raised shadow-soft', className)}>
      {children}
    </div>
  )
}
