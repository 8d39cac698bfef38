import { installTrustedTypes } from './browser.ts'
import { loadWithRetry, nextPaint, nextTask, watchInteractions } from './phases.ts'
import '../styles/main.css'

/*
 * The order of the start. This script runs first and is tiny: it decides when everything else runs.
 *
 * 1 paint        A prerendered page has the processor to itself until it is painted, as its scripts are fetched.
 * 2 interaction  A press before hydration is replayed after it; other work waits for the first movement.
 * 3 hydrate      React, then the site (main.tsx): a prerendered page is hydrated, any other one is rendered.
 *
 * The site itself starts the last two, so that each page loads only its own parts:
 *
 * 4 replica      preloadReplica(), for the lists a page shows, after deferUntilInteraction() or whenIdle().
 * 5 rest         layout/background.tsx, after whenIdle(): sync, queued changes, saved audio, the service worker, player.
 */
installTrustedTypes()
void start()

async function start(): Promise<void> {
  const prerendered = document.querySelector('[data-first]')
  if (prerendered) {
    // If a service worker controls the page, everything is cached and loads at once.
    if (navigator.serviceWorker?.controller) preloadScripts()
    else watchInteractions()
    replayLastPress(prerendered)
    await nextPaint()
  } else {
    prefetchLibrary()
  }
  await loadSite()
}

/** On the library page, starts loading its code and its first rows while React is still being parsed. */
function prefetchLibrary(): void {
  if (!/^\/teaching\/?$/.test(location.pathname)) return
  // If this fails, the page loads the same code again and shows the failure.
  const ignore = () => undefined
  import('../features/teachings/first-rows.ts').then((part) => part.preloadFirstRows(), ignore)
  import('../pages/teaching.tsx').catch(ignore)
}

/** Loads everything at once and runs it in separate tasks, so that the page can respond in between. */
async function loadSite(): Promise<void> {
  preloadScripts()
  await loadWithRetry(() => import('react-dom/client'))
  await nextTask()
  await loadWithRetry(() => import('../main.tsx'))
}

/** Preloads the scripts that the server lists in the page; on a first visit it lists none. */
function preloadScripts(): void {
  for (const link of document.querySelectorAll('link[rel=later]')) link.setAttribute('rel', 'modulepreload')
}

/** Holds presses of buttons until hydration removes `data-first` from `root`, then replays the last one. */
function replayLastPress(root: Element): void {
  let pressed: HTMLButtonElement | null = null
  const hold = (event: Event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    if (!button) return
    event.preventDefault()
    pressed = button
  }
  root.addEventListener('click', hold)
  const hydration = new MutationObserver(() => {
    hydration.disconnect()
    root.removeEventListener('click', hold)
    setTimeout(() => pressed?.click())
  })
  hydration.observe(root, { attributeFilter: ['data-first'] })
}
