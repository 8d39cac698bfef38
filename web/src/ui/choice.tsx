import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

interface ChoiceProps {
  icon: ReactNode
  danger?: boolean
  onClick: () => void
  children: ReactNode
}

/** One line of a sheet of choices. */
export function Choice({ icon, danger = false, onClick, children }: ChoiceProps) {
  return (
    <li>
      <button
        type="button"
        onClick={onClick}
        className={classNames(
          'flex min-h-13 w-full items-center gap-4 rounded-card px-2 text-left text-lg',
          danger ? 'text-brick hover:bg-brick-tint' : 'text-ink hover:bg-pine-tint',
        )}
      >
        {icon}
        {children}
      </button>
    </li>
  )
}
