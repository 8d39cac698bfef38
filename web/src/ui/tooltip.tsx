import * as Radix from '@radix-ui/react-tooltip'
import type { ReactElement, ReactNode } from 'react'
import { tooltipTimings } from './timings.ts'

/** Shares the delays of SPEC §9 among the tooltips inside: once one was open, the next follows sooner. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={tooltipTimings.openDelayMs} skipDelayDuration={tooltipTimings.skipDelayMs}>
      {children}
    </Radix.Provider>
  )
}

/** Says again, to those who hover or focus, what the control's own label says: never the only place of a word. */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      {/* Inside the page's own landmark, where those who go by landmarks find it. */}
      <Radix.Portal container={document.getElementById('main')}>
        <Radix.Content
          sideOffset={6}
          collisionPadding={12}
          className="z-50 animate-rise rounded-card bg-ink px-3 py-1.5 text-small text-paper forced-colors:border"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
