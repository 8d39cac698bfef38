import { useEffect, type RefObject } from 'react'
import { listen } from '../lib/listen.ts'

/** The position of an element: its parent and its index there. */
interface Place {
  element: Element
  within: Element
  at: number
}

/**
 * Restores the focus when the focused element is removed or disabled. The browser would move it to the body: Tab starts
 * at the top of the page and a screen reader is silent. Here it moves to the next row of the list, else to the nearest
 * focusable element.
 *
 * @param within the page's main part, or a dialog
 */
export function useRestoredFocus(within: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = within.current
    if (!root) return
    /** The last focused element and its ancestors, innermost first; empty if it was outside of `root`. */
    let places: Place[] = []
    const note = ({ target }: Event) => {
      const element = target as Element
      // If a dialog is over it, the dialog restores the focus when it closes.
      if (dialogOf(element) === dialogOf(root)) places = placesOf(element, root)
    }
    // A press elsewhere moves the focus on purpose.
    const forget = ({ target }: Event) => {
      const element = target as Element
      if (root.contains(element) && !places[0]?.element.contains(element)) places = []
    }
    const look = () => {
      const last = places[0]?.element
      if (!last || isUsable(last) || !isNowhere(last, root)) return
      // Deferred: code that moves the focus itself goes first.
      setTimeout(() => {
        if (isNowhere(last, root) && places[0]?.element === last) (nearest(places) ?? root).focus()
      })
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled', 'inert'],
    })
    const ends = [
      listen(document, ['focusin'], note),
      listen(document, ['pointerdown'], forget, { capture: true }),
      () => observer.disconnect(),
    ]
    return () => ends.forEach((end) => end())
  }, [within])
}

const isUsable = (element: Element) => element.isConnected && !element.matches(':disabled')

const dialogOf = (element: Element) => element.closest('[role=dialog]')

/**
 * Whether nothing has the focus, and no dialog lies over the root. A just disabled element stays the active one until the
 * next paint.
 */
const isNowhere = (last: Element, root: Element) =>
  [document.body, last].includes(document.activeElement!) &&
  [...document.querySelectorAll('[role=dialog]')].at(-1) === (dialogOf(root) ?? undefined)

function placesOf(element: Element, root: Element): Place[] {
  const places: Place[] = []
  if (!root.contains(element)) return places
  for (let inner = element; inner !== root; inner = inner.parentElement!) {
    const within = inner.parentElement!
    places.push({ element: inner, within, at: [...within.children].indexOf(inner) })
  }
  return places
}

function nearest(places: readonly Place[]): HTMLElement | undefined {
  for (const { within, at } of places.filter((place) => place.within.isConnected)) {
    const parts = [...within.children] as HTMLElement[]
    const row = within.matches('ul, ol') ? (parts[at] ?? parts.at(-1)) : undefined
    if (row) {
      if (!row.hasAttribute('tabindex')) row.tabIndex = -1
      return row
    }
    // The following siblings first, then the preceding ones, nearest first.
    const inOrder = [...parts.slice(at), ...parts.slice(0, at).toReversed()]
    const next = inOrder.map(firstUsable).find(Boolean)
    if (next) return next
  }
  return undefined
}

const firstUsable = (part: HTMLElement) =>
  part.matches(takesFocus) ? part : part.querySelector<HTMLElement>(takesFocus)

const takesFocus = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled)'
