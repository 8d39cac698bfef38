import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { readAhead } from '@fellowship/sync/client/saved-audio/ahead-store'
import { ShieldCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { fileSize } from '../../../lib/file-size.ts'
import { runWhenLoaded } from '../../../lib/run-when-loaded.ts'
import { keptHandoutBytes } from '../../handouts/kept-handouts.ts'
import { useDeviceQuery } from '../../sync/use-device-query.ts'
import { storageWords } from './saved-status.ts'

/** Shows the sizes of our own records, as the browser's figure is an estimate, and in some browsers too high. */
export function StorageMeter({ recordings }: { recordings: readonly SavedRecording[] }) {
  const handouts = useDeviceQuery(keptHandoutBytes, [], 0)
  const saved = recordings.reduce((sum, { bytes }) => sum + bytes, handouts)
  // Of all people of this device: their bytes take its room alike.
  const ahead = useDeviceQuery(() => readAhead(), [], [])
  const held = ahead.reduce((sum, { bytes }) => sum + bytes, 0)
  const { free, persisted } = useBrowserStorage(saved + held)
  const { here, of, amount, rest, isComing, isFull } = storageWords(recordings, { free, handouts })
  return (
    <div>
      <p className="text-base">
        <strong className="font-semibold">{amount}</strong> {rest}
      </p>
      {of > 0 && (
        // A plain <meter> does not look the same in all browsers.
        <div
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
          role="meter"
          aria-label={isComing ? 'Saved so far' : 'Room taken'}
          aria-valuemin={0}
          aria-valuemax={of}
          aria-valuenow={here}
          aria-valuetext={`${fileSize(here)} of ${fileSize(of)}`}
          className="mt-2 h-2 overflow-hidden rounded-full bg-sunk forced-color-adjust-none"
        >
          <div className="h-full min-w-1 rounded-full bg-pine" style={{ width: `${(here / of) * 100}%` }} />
        </div>
      )}
      {held > 0 && (
        <p className="mt-2 text-small text-soft">
          {fileSize(held)} more is held for the road. It goes when the room is needed.
        </p>
      )}
      {isFull && (
        <p role="alert" className="mt-2 text-small text-brick">
          Your device is full. Remove something below, or free some space on the device; saving then carries
          on.
        </p>
      )}
      {isComing && !isFull && (
        <p className="mt-2 text-small text-soft">
          Keep this page open until it is done. If it is interrupted, it resumes where it stopped.
        </p>
      )}
      {persisted && (
        <p className="mt-2 inline-flex items-center gap-1.5 text-small text-leaf">
          <ShieldCheck className="size-4" />
          Protected: the browser will not clear it by itself
        </p>
      )}
    </div>
  )
}

/** Measured again when other bytes are saved. */
function useBrowserStorage(savedBytes: number) {
  const [known, setKnown] = useState<{ free?: number; persisted: boolean }>({ persisted: false })
  useEffect(
    () =>
      runWhenLoaded(async () => {
        const { quota, usage } = await navigator.storage.estimate()
        const persisted = await navigator.storage.persisted()
        const free = quota !== undefined && usage !== undefined ? Math.max(0, quota - usage) : undefined
        return () => setKnown({ persisted, ...(free !== undefined && { free }) })
      }),
    [savedBytes],
  )
  return known
}
