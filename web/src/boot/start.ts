import { watchInteractions } from './first-interaction.ts'
import { nextTask } from './next-task.ts'
import '../styles/main.css'

/*
 * Runs first, and weighs next to nothing: decides when what draws the page and answers it is fetched. A page that
 * came drawn has the line and the processor for itself until it is seen; one that came from the device begins at once.
 */
if (document.querySelector('[data-first]')) {
  // One that the device kept has nothing to wait for: what stands behind it is on the device too.
  if (!navigator.serviceWorker?.controller) watchInteractions()
  keepPresses()
  whenSeen(() => void begin())
} else {
  fetchLibrary()
  void begin()
}

/** Once the page is on the screen, and not only on its way there. */
function whenSeen(then: () => void): void {
  if (!PerformanceObserver.supportedEntryTypes.includes('paint')) {
    requestAnimationFrame(() => setTimeout(then))
    return
  }
  const seen = new PerformanceObserver(() => {
    seen.disconnect()
    then()
  })
  seen.observe({ type: 'paint', buffered: true })
}

/** Asked for together, and run one after the other, each in a task of its own: between them the page answers. */
async function begin(): Promise<void> {
  // The server leaves them for later on a page that it drew.
  for (const link of document.querySelectorAll('link[rel=later]')) link.setAttribute('rel', 'modulepreload')
  await import('react-dom/client')
  await nextTask()
  await import('../main.tsx')
}

/** What the library needs is on its way while the framework is read. */
function fetchLibrary(): void {
  if (!/^\/teaching\/?$/.test(location.pathname)) return
  // A part that does not come is asked for again, and told of, by whoever needs it.
  const ignore = () => undefined
  import('../features/teachings/first-rows.ts').then((part) => part.askFirstRows(), ignore)
  import('../pages/teaching.tsx').catch(ignore)
}

/** A button that is pressed before there is somebody behind it does its work as soon as there is: the last one pressed. */
function keepPresses(): void {
  const root = document.querySelector('[data-first]')!
  let pressed: HTMLButtonElement | null = null
  const keep = (event: Event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    if (!button) return
    event.preventDefault()
    pressed = button
  }
  root.addEventListener('click', keep)
  const gone = new MutationObserver(() => {
    gone.disconnect()
    root.removeEventListener('click', keep)
    setTimeout(() => pressed?.click())
  })
  gone.observe(root, { attributeFilter: ['data-first'] })
}
