import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

const tones = {
  leaf: 'border-line bg-leaf-tint text-leaf',
  wheat: 'border-line bg-wheat-tint text-wheat-text',
  brick: 'border-line bg-brick-tint text-brick',
}

interface BannerProps {
  tone: keyof typeof tones
  title: string
  icon?: LucideIcon
  /** Whether a toast shows the same text, so that screen readers need not announce this one. */
  toasted?: boolean
  children?: ReactNode
}

/** A notice that stays on the page. Screen readers announce it politely, or at once when it is an error. */
export function Banner({ tone, title, icon: Icon, toasted = false, children }: BannerProps) {
  return (
    <div
      role={toasted ? undefined : tone === 'brick' ? 'alert' : 'status'}
      className={classNames(
        'flex animate-rise flex-wrap gap-3 rounded-card border px-[min(1rem,5vw)] py-3 text-base print:hidden',
        tones[tone],
      )}
    >
      {Icon && (
        <span className="flex h-6 shrink-0 items-center">
          <Icon className="size-5" />
        </span>
      )}
      <div className="min-w-0 flex-1 basis-32">
        <p className="leading-6 font-semibold">{title}</p>
        {children && <div className="text-ink">{children}</div>}
      </div>
    </div>
  )
}
