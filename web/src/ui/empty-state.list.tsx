import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  title: string
  picture?: LucideIcon
  /** The next step. */
  children?: ReactNode
}

export function EmptyState({ title, picture: Picture, children }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-4 px-6 py-14 text-center">
      {Picture && <Picture strokeWidth={1.25} className="size-12 text-wheat-text" />}
      <p className="font-serif text-xl text-ink">{title}</p>
      {children && <div className="max-w-md text-soft">{children}</div>}
    </div>
  )
}
