import { audioMissing } from '@fellowship/sync/client/worker-messages'

/** Marks a saved recording when the service worker reports that its bytes are missing. Returns the unsubscribe function. */
export function listenForMissingAudio(): () => void {
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!worker) return () => undefined
  const hear = ({ data }: MessageEvent<{ type?: unknown } | null>) => {
    if (data?.type !== audioMissing) return
    // If marking fails now, the next start finds the missing bytes.
    void import('../saved/saved.device.ts').then((device) => device.findMissing()).catch(() => undefined)
  }
  worker.addEventListener('message', hear)
  return () => worker.removeEventListener('message', hear)
}
