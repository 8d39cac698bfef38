import * as Radix from '@radix-ui/react-tooltip'
import type { ReactElement, ReactNode } from 'react'
import { tooltipTimings } from './timings.ts'

/** Shares one delay among the tooltips inside: once one was open, the next opens sooner. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={tooltipTimings.openDelayMs} skipDelayDuration={tooltipTimings.skipDelayMs}>
      {children}
    </Radix.Provider>
  )
}

/** Repeats the label of a control on hover and focus; never the only place of a word, as touch screens have no hover. */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      {/* Inside the main landmark, so that screen readers that navigate by landmarks find it. */}
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
