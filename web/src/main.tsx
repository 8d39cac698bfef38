import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AudioElementProvider } from './features/audio/audio-element.tsx'
import { AuthProvider } from './features/auth/auth-context.tsx'
import { holdInstallPrompt } from './features/sync/install-prompt.ts'
import { reloadOnStaleBuild } from './features/sync/reload-once.ts'
import { applyComfort } from './lib/comfort.ts'
import { makeRouter } from './router.tsx'
import './styles/main.css'
import { Toaster } from './ui/toaster.tsx'

applyComfort()
holdInstallPrompt()
const reloadStale = reloadOnStaleBuild()
window.addEventListener('vite:preloadError', () => void reloadStale())

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <AuthProvider>
      <AudioElementProvider>
        <RouterProvider router={makeRouter()} />
      </AudioElementProvider>
      <Toaster />
    </AuthProvider>
  </StrictMode>,
)
