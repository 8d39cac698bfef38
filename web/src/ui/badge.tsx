import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'

const tones = {
  plain: 'bg-sunk text-soft',
  pine: 'bg-pine-tint text-pine',
  wheat: 'bg-wheat-tint text-wheat-text',
  leaf: 'bg-leaf-tint text-leaf',
  brick: 'bg-brick-tint text-brick',
}
export type Tone = keyof typeof tones

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1.5 rounded-full px-3 py-0.5 text-small',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}
