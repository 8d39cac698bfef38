import { openPath } from '@fellowship/sync/client/worker-messages'
import { ownPath } from '../../lib/own-path.ts'

/**
 * Navigates within the page to the target of a pressed notification, so that audio continues. Returns a function that
 * unsubscribes.
 */
export function listenForOpened(goTo: (path: string) => void): () => void {
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!worker) return () => undefined
  const hear = ({ data }: MessageEvent<{ type?: unknown; path?: unknown } | null>) => {
    if (data?.type !== openPath || typeof data.path !== 'string') return
    const path = ownPath(data.path)
    if (path) goTo(path)
  }
  worker.addEventListener('message', hear)
  return () => worker.removeEventListener('message', hear)
}
