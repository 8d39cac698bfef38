/** The element beside the page; `index.html` has it, the document of a test may not. */
export function toastPlace(): HTMLElement {
  const present = document.getElementById('toasts')
  if (present) return present
  const made = document.createElement('div')
  made.id = 'toasts'
  document.body.append(made)
  return made
}

/** What stands at the bottom edge of every page, in pixels, the safe area of the screen included. */
interface BottomEdge {
  /** The player's bar. */
  bar: number
  /** The bar and the notices above it. */
  all: number
}

/** Has toasts stand above what is at the bottom edge. Nothing else is laid out anew for it. */
export function standAbove({ bar, all }: BottomEdge): void {
  const { style } = toastPlace()
  style.setProperty('--above-bar', `${bar}px`)
  style.setProperty('--above-all', `${all}px`)
}

/**
 * The corner of toasts. On a wide screen notices stand beside it, on a narrow one below; with large text they leave it the
 * upper half of the screen.
 */
export const toastCorner = [
  '[--above:var(--above-all,env(safe-area-inset-bottom))] lg:[--above:var(--above-bar,env(safe-area-inset-bottom))]',
  'fixed right-0 bottom-[min(var(--above),50dvh)] z-50 w-104 max-w-full sm:p-6',
].join(' ')

/** No toast is taller than the room above what it stands on. */
export const toastHeight = 'max-h-[calc(100dvh-2rem-min(var(--above),50dvh))] overflow-y-auto'
