import { startTransition, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { holdInstallPrompt } from './features/sync/install-prompt.ts'
import { reloadOnStaleBuild } from './features/sync/reload-once.ts'
import { applyComfort } from './lib/comfort.ts'
import { nextTask } from './lib/next-task.ts'
import { makeRouter } from './router.tsx'
import { Site } from './site.tsx'

applyComfort()
holdInstallPrompt()
const reloadStale = reloadOnStaleBuild()
window.addEventListener('vite:preloadError', () => void reloadStale())

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
const router = makeRouter()
const site = (
  <StrictMode>
    <Site router={router} />
  </StrictMode>
)
// In slices between which the page answers.
if (root.firstChild) void takeOver(root)
else startTransition(() => createRoot(root).render(site))

/** A first HTML becomes the page itself, as it stands; where the page's code did not come, the page says so instead. */
async function takeOver(place: HTMLElement): Promise<void> {
  await nextTask()
  await router.load().catch(() => undefined)
  if (router.state.matches.every(({ status }) => status === 'success')) {
    // The router draws the same elements as it did on the server.
    router.ssr = { manifest: undefined }
    await nextTask()
    startTransition(() => void hydrateRoot(place, site))
  } else {
    startTransition(() => createRoot(place).render(site))
  }
}
