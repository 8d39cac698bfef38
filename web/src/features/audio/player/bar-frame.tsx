import { useEffect, type ReactNode } from 'react'

/** The height of the bar, which the page leaves free at its bottom. */
const barHeight = '4.75rem'

interface BarFrameProps {
  label: string
  /** The share that was heard, 0 to 1: a thin line along the upper edge. */
  share: number
  children: ReactNode
}

/** One line at the bottom edge of the page. The page is longer by its height, so that nothing stays covered. */
export function BarFrame({ label, share, children }: BarFrameProps) {
  useEffect(() => {
    const { body, documentElement: root } = document
    body.style.paddingBottom = `calc(${barHeight} + env(safe-area-inset-bottom))`
    root.style.scrollPaddingBottom = barHeight
    return () => {
      body.style.paddingBottom = ''
      root.style.scrollPaddingBottom = ''
    }
  }, [])
  return (
    <section
      aria-label={label}
      className="@container pointer-events-auto relative animate-rise border-t border-line bg-raised shadow-soft print:hidden"
    >
      <div
        aria-hidden="true"
        className="absolute inset-x-0 -top-px h-0.5 overflow-hidden bg-line forced-color-adjust-none"
      >
        <div className="h-full origin-left bg-pine" style={{ transform: `scaleX(${share})` }} />
      </div>
      <div className="page flex h-19 items-center gap-1 sm:gap-2">{children}</div>
    </section>
  )
}
