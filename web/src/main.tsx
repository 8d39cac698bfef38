import { hideRefusedChannels } from './boot/browser.ts'
import { hydrated, whenNextIdle } from './boot/phases.ts'
import { holdInstallPrompt } from './features/sync/install-prompt.ts'
import { reloadOnStaleBuild } from './features/sync/reload-once.ts'
import { hydrate, render } from './hydrate.tsx'
import { applyComfort } from './lib/comfort.ts'

hideRefusedChannels()
applyComfort()
holdInstallPrompt()
const reloadStale = reloadOnStaleBuild()
window.addEventListener('vite:preloadError', ({ payload }) => void reloadStale(payload))

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
if (root.firstChild) void hydrate(root)
else render(root)
void loadLateFonts()

/**
 * Loads the fonts of the site once the page is hydrated. The server sends a first visit without them, drawn with fonts of the
 * device that are adjusted to be about as wide: fetching, decoding and a new layout would delay the first press.
 */
async function loadLateFonts(): Promise<void> {
  await hydrated
  whenNextIdle(() => document.documentElement.removeAttribute('data-fonts'))
}
