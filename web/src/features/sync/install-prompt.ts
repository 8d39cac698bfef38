/** The browser's own question, held until a person wants it (Chromium: `beforeinstallprompt`). */
interface InstallPrompt extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>
}

let held: InstallPrompt | undefined
const listeners = new Set<() => void>()

const put = (prompt: InstallPrompt | undefined) => {
  held = prompt
  for (const listener of listeners) listener()
}

/** To be called at start: the question comes early, and only once. */
export function holdInstallPrompt(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    put(event as InstallPrompt)
  })
  window.addEventListener('appinstalled', () => put(undefined))
}

export const installPrompt = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  available: (): boolean => held !== undefined,
}

/** Asks the held question; it can be asked once. */
export async function askToInstall(): Promise<void> {
  const prompt = held
  put(undefined)
  await prompt?.prompt()
}
