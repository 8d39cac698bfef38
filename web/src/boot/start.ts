import { watchInteractions } from './first-interaction.ts'
import { firstPaint } from './first-paint.ts'
import { loadWithRetry } from './load-with-retry.ts'
import { nextTask } from './next-task.ts'
import { replayLastPress } from './replay-press.ts'
import { installTrustedTypes } from './trusted-types.ts'
import '../styles/main.css'

/*
 * The order of the start. This script runs first and is tiny: it decides when everything else runs.
 *
 * 1 paint        A prerendered page has the processor to itself until it is painted; its scripts are fetched meanwhile.
 * 2 interaction  A press before hydration is replayed after it; what a reader does not need waits for the first movement.
 * 3 hydrate      React, then the site (main.tsx): a prerendered page is hydrated, any other one is rendered.
 *
 * The site itself starts the last two, so that each page opens only what it shows:
 *
 * 4 replica      preloadReplica() in preload.ts, for the lists a page shows, after deferUntilInteraction() or whenIdle().
 * 5 rest         layout/background.tsx, after whenIdle(): sync, queued changes, saved audio, the service worker, player.
 */
installTrustedTypes()
void start()

async function start(): Promise<void> {
  const prerendered = document.querySelector('[data-first]')
  if (prerendered) {
    // With a service worker everything is cached, and nothing need wait.
    if (navigator.serviceWorker?.controller) preloadScripts()
    else watchInteractions()
    replayLastPress(prerendered)
    await firstPaint()
  } else {
    prefetchLibrary()
  }
  await loadSite()
}

/** On the library page, starts loading its code and its first rows while React is still being parsed. */
function prefetchLibrary(): void {
  if (!/^\/teaching\/?$/.test(location.pathname)) return
  // What fails to load here is loaded again, and its failure shown, where it is used.
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

/** What the server names in a page that is no first visit; the others preload it themselves. */
function preloadScripts(): void {
  for (const link of document.querySelectorAll('link[rel=later]')) link.setAttribute('rel', 'modulepreload')
}
