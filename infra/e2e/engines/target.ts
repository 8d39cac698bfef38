/** The target of a journey's step, as JSON: a visible element, by its role and name or by its words. */
export interface Target {
  role?: string
  /** The accessible name, whole. */
  name?: Words
  /** Of a heading. */
  level?: number
  /** The label of a form control, whole. */
  label?: Words
  placeholder?: Words
  /** The words of the element itself, whole. */
  text?: Words
  /** It lies inside this one. */
  within?: Target
  /** This one lies inside it. */
  has?: Target
  /** The press position, from 0 at its left edge to 1 at its right; by default the middle. */
  at?: number
}

/** A string stands for exactly itself. */
export type Words = string | { pattern: string; flags: string }

export const like = ({ source, flags }: RegExp): Words => ({ pattern: source, flags })

/** `globalThis.pageFinder` in a page. */
export interface PageFinder {
  find(target: Target): HTMLElement | undefined
  texts(target: Target): string[]
  /** The point at which a click meets the target, after it was scrolled into view. */
  aim(target: Target): { x: number; y: number } | { problem: string }
  /** Until `unguard`, a press that meets something else than the target does nothing. */
  guard(target: Target): void
  /** Whether the press met the target. */
  unguard(): boolean
}

export const button = (name: Words, within?: Target): Target => ({
  role: 'button',
  name,
  ...(within && { within }),
})
export const link = (name: Words): Target => ({ role: 'link', name })
export const heading = (name: Words, level: number): Target => ({ role: 'heading', name, level })
export const text = (words: Words, within?: Target): Target => ({ text: words, ...(within && { within }) })
export const field = (label: Words, within?: Target): Target => ({ label, ...(within && { within }) })
export const dialog = (name: Words): Target => ({ role: 'dialog', name })

/** The list row of a teaching, by its title. */
export const row = (title: string): Target => ({ role: 'listitem', has: heading(title, 3) })
