import { startTransition, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { holdInstallPrompt } from './features/sync/install-prompt.ts'
import { reloadOnStaleBuild } from './features/sync/reload-once.ts'
import { applyComfort } from './lib/comfort.ts'
import { nextTask } from './boot/next-task.ts'
import { hydrated } from './boot/hydrated.ts'
import { makeRouter } from './router.tsx'
import { Site } from './site.tsx'

type Router = ReturnType<typeof makeRouter>

applyComfort()
holdInstallPrompt()
const reloadStale = reloadOnStaleBuild()
window.addEventListener('vite:preloadError', ({ payload }) => void reloadStale(payload))

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
if (root.firstChild) void takeOver(root)
else draw(root, makeRouter())

/**
 * A first HTML becomes the page itself, as it stands; where the page's code did not come, the page says so instead.
 * It can be read meanwhile: each step is a task of its own, between which the page answers.
 */
async function takeOver(place: HTMLElement): Promise<void> {
  await nextTask()
  const router = makeRouter()
  await nextTask()
  // Whatever fails here fails once more below, and is told there.
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname)
  await Promise.all(routes.map(async (route) => router.loadRouteChunk(route))).catch(() => undefined)
  await nextTask()
  await router.load().catch(() => undefined)
  if (router.state.matches.every(({ status }) => status === 'success')) {
    // The router draws the same elements as it did on the server.
    router.ssr = { manifest: undefined }
    leaveOnceTakenOver(router)
    await nextTask()
    startTransition(() => void hydrateRoot(place, site(router)))
  } else {
    draw(place, router)
  }
}

/**
 * The frame of the page is taken over before what stands in it, which reads from the router where it is: whoever presses a
 * link in between leaves once that is taken over too.
 */
function leaveOnceTakenOver(router: Router): void {
  const { load } = router
  router.load = async (...call) => {
    await hydrated
    await load(...call)
  }
}

/** In slices between which the page answers. */
function draw(place: HTMLElement, router: Router): void {
  startTransition(() => createRoot(place).render(site(router)))
}

function site(router: Router) {
  return (
    <StrictMode>
      <Site router={router} />
    </StrictMode>
  )
}
