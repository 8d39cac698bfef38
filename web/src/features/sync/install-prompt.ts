import { makeStore, useStore } from '../../lib/lazy-store.ts'

/** Chromium's `beforeinstallprompt` event, held until the user wants to install. */
interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>
}

const held = makeStore<InstallPrompt | undefined>(undefined)

/** Called at start: the browser fires the event early, and only once. */
export function holdInstallPrompt(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    held.set(event as InstallPrompt)
  })
  window.addEventListener('appinstalled', () => held.set(undefined))
}

/** Whether this browser offers to install the site. */
export const useCanInstall = (): boolean => useStore(held) !== undefined

/** Shows the browser's own prompt; it can be shown once. */
export async function askToInstall(): Promise<void> {
  const prompt = held.snapshot()
  held.set(undefined)
  await prompt?.prompt()
}
