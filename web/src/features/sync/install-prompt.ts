import { makeStore, useStore } from '../../lib/lazy-store.ts'

/** Chromium's `beforeinstallprompt` event, stored until the user wants to install. */
interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>
}

const held = makeStore<InstallPrompt | undefined>(undefined)

/** Call it at start: the browser fires the event early, and only once. */
export function holdInstallPrompt(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    held.set(event as InstallPrompt)
  })
  window.addEventListener('appinstalled', () => held.set(undefined))
}

/** Whether this browser offers to install the site. */
export const useCanInstall = (): boolean => useStore(held) !== undefined

/** Shows the browser's own prompt, which can be shown once; resolves to the person's answer. */
export async function askToInstall(): Promise<boolean> {
  const prompt = held.snapshot()
  held.set(undefined)
  return (await prompt?.prompt())?.outcome === 'accepted'
}
