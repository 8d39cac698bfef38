import {
  configure,
  queryAllByLabelText,
  queryAllByPlaceholderText,
  queryAllByRole,
  queryAllByText,
} from '@testing-library/dom'
import type { PageFinder, Target, Words } from './target.ts'

/** Runs in the page: finds visible elements by role, name or words. */
const finder: PageFinder = {
  find: (target) => find(target)[0],
  texts: (target) => find(target).map((element) => element.innerText),
  aim(target) {
    const element = find(target)[0]
    if (!element) return { problem: 'not there' }
    if (element.matches(':disabled, [aria-disabled=true]')) return { problem: 'disabled' }
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    const { x, y, width, height } = element.getBoundingClientRect()
    const [atX, atY] = [x + width * (target.at ?? 0.5), y + height / 2]
    const hit = document.elementFromPoint(atX, atY)
    return isMeant(element, hit)
      ? { x: atX, y: atY }
      : { problem: `covered by ${hit?.outerHTML.slice(0, 200) ?? 'nothing'}` }
  },
  guard(target) {
    const element = find(target)[0]
    let [isMissed, isPressed] = [false, false]
    const events = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']
    const check = (event: Event) => {
      const isOnIt = element !== undefined && isMeant(element, event.target)
      isMissed ||= event.type === 'pointerdown' && !isOnIt
      // If the page moves between pointer down and up, the click goes to the element around both.
      isPressed ||= event.type === 'click' && (isOnIt || !element?.isConnected)
      if (!isMissed) return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    for (const name of events) window.addEventListener(name, check, { capture: true })
    finder.unguard = () => {
      for (const name of events) window.removeEventListener(name, check, { capture: true })
      return isPressed && !isMissed
    }
  },
  unguard: () => true,
}

const isMeant = (element: HTMLElement, hit: EventTarget | null): boolean =>
  hit instanceof Node &&
  (element.contains(hit) || (hit instanceof HTMLLabelElement && hit.control === element))

configure({ getElementError: (message) => new Error(message ?? 'not found') })
Object.assign(globalThis, { pageFinder: finder })

function find(target: Target): HTMLElement[] {
  const places = target.within ? find(target.within) : [document.body]
  return places
    .flatMap((place) => inside(place, target))
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .filter((element) => !target.has || inside(element, target.has).length > 0)
}

function inside(place: HTMLElement, { role, name, level, label, placeholder, text }: Target): HTMLElement[] {
  if (role !== undefined)
    return queryAllByRole(place, role, {
      ...(name !== undefined && { name: wordsOf(name) }),
      ...(level !== undefined && { level }),
    })
  if (label !== undefined) return queryAllByLabelText(place, wordsOf(label))
  if (placeholder !== undefined) return queryAllByPlaceholderText(place, wordsOf(placeholder))
  return text === undefined ? [] : queryAllByText(place, wordsOf(text))
}

const wordsOf = (words: Words) => (typeof words === 'string' ? words : new RegExp(words.pattern, words.flags))
