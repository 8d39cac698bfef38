import { startTransition, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { makeRouter } from './router.tsx'
import { Site } from './site.tsx'
import { hydrated, loadWithRetry, nextTask } from './boot/phases.ts'
import type { LazyPage } from './lib/lazy-page.tsx'

type Router = ReturnType<typeof makeRouter>

/** Renders the site into an empty element. */
export const render = (root: HTMLElement): void => renderWith(root, makeRouter())

/**
 * Hydrates a prerendered page, once its code has arrived; until then it can be read, and its links work. Each step is a task
 * of its own, so that the page can respond in between.
 */
export async function hydrate(root: HTMLElement): Promise<void> {
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

const site = (router: Router) => (
  <StrictMode>
    <Site router={router} />
  </StrictMode>
)

async function loadCode({ options: { component } }: { options: { component?: unknown } }): Promise<void> {
  await (component as Partial<LazyPage> | undefined)?.loadCode?.()
}
