import { audioMissing } from '@fellowship/sync/client/worker-messages'

/** The worker found bytes of a saved recording gone: the row is marked, and says so. Returns the way to stop. */
export function listenForMissingAudio(): () => void {
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!worker) return () => undefined
  const hear = ({ data }: MessageEvent<{ type?: unknown } | null>) => {
    if (data?.type !== audioMissing) return
    // What cannot be marked now is found at the next start.
    void import('../saved/saved-device.ts').then((device) => device.findMissing()).catch(() => undefined)
  }
  worker.addEventListener('message', hear)
  return () => worker.removeEventListener('message', hear)
}
