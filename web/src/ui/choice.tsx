import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

interface ChoiceProps {
  icon: LucideIcon
  danger?: boolean
  onClick: () => void
  children: ReactNode
}

/** One line of a sheet of choices. */
export function Choice({ icon: Icon, danger = false, onClick, children }: ChoiceProps) {
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
        <Icon className="size-5 shrink-0" />
        {children}
      </button>
    </li>
  )
}
