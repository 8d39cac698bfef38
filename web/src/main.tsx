import { startTransition, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { hideRefusedChannels } from './boot/browser.ts'
import { readSite } from './boot/prerender-data.ts'
import { hydrated, loadWithRetry, nextTask, whenNextIdle } from './boot/phases.ts'
import { holdInstallPrompt } from './features/sync/install-prompt.ts'
import { reloadOnStaleBuild } from './features/sync/reload-once.ts'
import { applyComfort } from './lib/comfort.ts'
import type { LazyPage } from './lib/lazy-page.tsx'
import { makeRouter } from './router.tsx'
import { Site } from './site.tsx'

hideRefusedChannels()
applyComfort()
holdInstallPrompt()
const reloadStale = reloadOnStaleBuild()
window.addEventListener('vite:preloadError', ({ payload }) => void reloadStale(payload))

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
readSite(Boolean(root.firstChild))
if (root.firstChild) void hydrate(root)
else renderWith(root, makeRouter())
void loadLateFonts()

/**
 * Loads the fonts of the site once the page is hydrated. The server sends a first visit without them, drawn with fonts of the
 * device that are adjusted to be about as wide: fetching, decoding and a new layout would delay the first press.
 */
async function loadLateFonts(): Promise<void> {
  await hydrated
  whenNextIdle(() => document.documentElement.removeAttribute('data-fonts'))
}

type Router = ReturnType<typeof makeRouter>

/**
 * Hydrates a prerendered page, once its code has arrived; until then it can be read, and its links work. Each step is a task
 * of its own, so that the page can respond in between.
 */
async function hydrate(root: HTMLElement): Promise<void> {
  await nextTask()
  const router = makeRouter()
  await nextTask()
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname)
  // Other errors occur again in router.load(), which shows them.
  await loadWithRetry(() => Promise.all(routes.map(loadCode))).catch(() => undefined)
  await nextTask()
  await router.load().catch(() => undefined)
  if (router.state.matches.every(({ status }) => status === 'success')) {
    // Makes the router render the same elements as it did on the server.
    router.ssr = { manifest: undefined }
    navigateOnceHydrated(router)
    await nextTask()
    startTransition(() => void hydrateRoot(root, site(router)))
  } else {
    renderWith(root, router)
  }
}

/** React hydrates the frame before the page in it: navigation in between would hydrate the page against another route. */
function navigateOnceHydrated(router: Router): void {
  const { load } = router
  router.load = async (...call) => {
    await hydrated
    await load(...call)
  }
}

/** A transition renders in slices, so that the page can respond in between. */
function renderWith(root: HTMLElement, router: Router): void {
  startTransition(() => createRoot(root).render(site(router)))
}

function site(router: Router) {
  return (
    <StrictMode>
      <Site router={router} />
    </StrictMode>
  )
}

async function loadCode({ options: { component } }: { options: { component?: unknown } }): Promise<void> {
  await (component as Partial<LazyPage> | undefined)?.loadCode?.()
}
