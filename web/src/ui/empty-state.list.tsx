import type { ReactNode } from 'react'

interface EmptyStateProps {
  title: string
  picture?: ReactNode
  /** The next step. */
  children?: ReactNode
}

/** States that a list is empty, with the next step. */
export function EmptyState({ title, picture, children }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-4 px-6 py-14 text-center">
      {picture && <div className="text-wheat-text">{picture}</div>}
      <p className="font-serif text-xl text-ink">{title}</p>
      {children && <div className="max-w-md text-soft">{children}</div>}
    </div>
  )
}
