import { useEffect, type RefObject } from 'react'

/** Where an element stands: what it is in, and at which place of that. */
interface Place {
  element: Element
  within: Element
  at: number
}

/**
 * What has the focus may go: a row is deleted, a form gives way to what it saved, a button has nothing left to do. The
 * browser then puts the focus nowhere, Tab begins at the top of the page, and those who listen hear nothing. Here it
 * goes to what stands at that place now: the next row, else what can be used nearest to it.
 */
export function useKeptFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = main.current
    if (!root) return
    /** Of what had the focus last, from the inside out; empty where it was not in the page's main part. */
    let places: Place[] = []
    const note = ({ target }: Event) => {
      const element = target as Element
      // A dialog gives the focus back when it closes.
      if (!element.closest('[role=dialog]')) places = placesOf(element, root)
    }
    // Whoever points elsewhere has left it of their own accord.
    const forget = ({ target }: Event) => {
      const element = target as Element
      if (root.contains(element) && !places[0]?.element.contains(element)) places = []
    }
    const look = () => {
      const last = places[0]?.element
      if (!last || isUsable(last) || !isNowhere(last)) return
      // Whoever moves it on purpose is about to.
      setTimeout(() => {
        if (isNowhere(last) && places[0]?.element === last) (nearest(places) ?? root).focus()
      })
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled', 'inert'],
    })
    document.addEventListener('focusin', note)
    document.addEventListener('pointerdown', forget, true)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', note)
      document.removeEventListener('pointerdown', forget, true)
    }
  }, [main])
}

const isUsable = (element: Element) => element.isConnected && !element.matches(':disabled')

/** What was just disabled keeps the focus until the page is painted. */
const isNowhere = (last: Element) =>
  [document.body, last].includes(document.activeElement!) && !document.querySelector('[role=dialog]')

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
    // From the place on, else back from it; of what took the place, such as a form, the first.
    const inOrder = [...parts.slice(at), ...parts.slice(0, at).toReversed()]
    const next = inOrder.map(firstUsable).find(Boolean)
    if (next) return next
  }
  return undefined
}

const firstUsable = (part: HTMLElement) =>
  part.matches(takesFocus) ? part : part.querySelector<HTMLElement>(takesFocus)

const takesFocus = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled)'
