import { countUnownedUploads, readEntries, type OutboxEntry } from './outbox.device.ts'
import { useDeviceQuery } from './use-device-query.ts'
import { useOffline } from './use-device-sync.ts'
import { unsentWords } from './unsent-words.ts'

/** In the sign-in panel: the changes and recordings that are stored on this device and sent after the sign-in. */
export function WaitingWork() {
  const entries = useDeviceQuery(() => readEntries(undefined), [], none)
  const uploads = useDeviceQuery(() => countUnownedUploads(undefined), [], 0)
  const { signIn } = unsentWords({ entries, uploads, isOffline: useOffline() })
  return signIn?.map((line) => (
    <p key={line} className="mt-1 text-small text-wheat-text">
      {line}. Nothing is lost.
    </p>
  ))
}

const none: readonly OutboxEntry[] = []
