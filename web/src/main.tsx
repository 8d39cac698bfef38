import { hideRefusedChannels } from './boot/hide-refused-channels.ts'
import { hydrate, render } from './hydrate.tsx'
import { loadLateFonts } from './boot/late-fonts.ts'
import { holdInstallPrompt } from './features/sync/install-prompt.ts'
import { reloadOnStaleBuild } from './features/sync/reload-once.ts'
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
