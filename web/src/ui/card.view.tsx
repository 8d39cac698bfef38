import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

export function Card({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={classNames('rounded-card border border-line bg-raised shadow-soft', className)}>
      {children}
    </div>
  )
}
