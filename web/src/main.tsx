import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { holdInstallPrompt } from './features/sync/install-prompt.ts'
import { reloadOnStaleBuild } from './features/sync/reload-once.ts'
import { applyComfort } from './lib/comfort.ts'
import { makeRouter } from './router.tsx'
import { Site } from './site.tsx'
import './styles/main.css'

applyComfort()
holdInstallPrompt()
const reloadStale = reloadOnStaleBuild()
window.addEventListener('vite:preloadError', () => void reloadStale())

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
const router = makeRouter()
// In slices between which the page answers.
const draw = () =>
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <Site router={router} />
      </StrictMode>,
    ),
  )
// A first HTML stays until its page can be drawn whole: nothing is seen of the change.
if (root.firstChild) setTimeout(() => void router.load().then(draw, draw))
else draw()
