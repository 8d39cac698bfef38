import { audioMissing } from '@fellowship/sync/client/worker-messages'

/** Marks a saved recording whose bytes the service worker found missing. Returns the way to stop listening. */
export function listenForMissingAudio(): () => void {
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!worker) return () => undefined
  const hear = ({ data }: MessageEvent<{ type?: unknown } | null>) => {
    if (data?.type !== audioMissing) return
    // What cannot be marked now is found at the next start.
    void import('../saved/saved.device.ts').then((device) => device.findMissing()).catch(() => undefined)
  }
  worker.addEventListener('message', hear)
  return () => worker.removeEventListener('message', hear)
}
