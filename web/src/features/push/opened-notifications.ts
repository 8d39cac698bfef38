import { openPath } from '@fellowship/sync/client/worker-messages'
import { ownPath } from '../../lib/own-path.ts'

/** Goes where a pressed notification leads, within the page, so that what plays goes on. Returns the way to stop. */
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
