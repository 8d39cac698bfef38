import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { ShieldCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { fileSize } from '../../../lib/file-size.ts'
import { runWhenLoaded } from '../../../lib/run-when-loaded.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { AudioExport } from './audio-export.tsx'
import { SaveMore } from './save-more.tsx'
import { type Removal, SavedList } from './saved-list.tsx'
import { useSavedShelf } from './saved.ts'

interface ManageSavedProps {
  /** The library, for saving a speaker or a year. */
  rows: readonly ListedTeaching[]
  onClose: () => void
}

/** Everything about saved teaching in one sheet: how much, which, more of it, less of it, and a ZIP to export. */
export function ManageSaved({ rows, onClose }: ManageSavedProps) {
  const shelf = useSavedShelf()
  const [removal, setRemoval] = useState<Removal | null>(null)
  const recordings = [...shelf.byKey.values()].sort(
    (a, b) => (b.lastPlayedAt ?? 0) - (a.lastPlayedAt ?? 0) || b.savedAt - a.savedAt,
  )
  if (removal) return <ConfirmRemoval removal={removal} onClose={() => setRemoval(null)} />
  return (
    <Dialog title="Saved teaching" onClose={onClose}>
      <StorageMeter recordings={recordings} />
      <SaveMore rows={rows} newest={shelf.newest} />
      <SavedList recordings={recordings} rows={rows} onRemove={setRemoval} />
      {recordings.some(({ state }) => state === 'ready') && (
        <AudioExport recordings={recordings} rows={rows} />
      )}
      <div className="mt-6 flex justify-end">
        <Button kind="secondary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

function ConfirmRemoval({ removal, onClose }: { removal: Removal; onClose: () => void }) {
  const [pending, setPending] = useState(false)
  const bytes = removal.recordings.reduce((sum, recording) => sum + recording.bytes, 0)
  const remove = async () => {
    setPending(true)
    await import('./saved.device.ts')
      .then((device) => device.removeAll(removal.recordings.map(({ key }) => key)))
      // If removing fails, the list still shows the rest.
      .catch(() => undefined)
    onClose()
  }
  return (
    <ConfirmDialog
      title={removal.title}
      question={`This frees ${fileSize(bytes)}. You can save it again while you have signal.`}
      confirmLabel="Remove"
      pending={pending}
      pendingLabel="Removing..."
      onConfirm={() => void remove()}
      onCancel={onClose}
    />
  )
}

/** Shows the sizes of our own records, as the browser's figure is an estimate, and in some browsers too high. */
function StorageMeter({ recordings }: { recordings: readonly SavedRecording[] }) {
  const { free, persisted } = useBrowserStorage()
  const here = recordings.reduce((sum, { bytes }) => sum + bytes, 0)
  const wanted = recordings
    .filter(({ state }) => state === 'waiting')
    .reduce((sum, { size, bytes }) => sum + size - bytes, 0)
  const full = recordings.some(({ problem }) => problem === 'device full')
  // The progress if something is downloading, else the share of the available room.
  const of = wanted > 0 || free === undefined || full ? here + wanted : here + free
  return (
    <div className="mt-4">
      <p className="text-base">
        <strong className="font-semibold">{here === 0 ? 'Nothing' : fileSize(here)}</strong>{' '}
        {wanted > 0 ? 'on this device' : 'used'}
        {wanted > 0 && `, ${fileSize(wanted)} to come`}
        {wanted === 0 && free !== undefined && !full && ` of about ${fileSize(here + free)} available`}
      </p>
      {of > 0 && (
        // A plain <meter> does not look the same in all browsers.
        <div
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
          role="meter"
          aria-label={wanted > 0 ? 'Saved so far' : 'Room taken'}
          aria-valuemin={0}
          aria-valuemax={of}
          aria-valuenow={here}
          aria-valuetext={`${fileSize(here)} of ${fileSize(of)}`}
          className="mt-2 h-2 overflow-hidden rounded-full bg-sunk forced-color-adjust-none"
        >
          <div className="h-full min-w-1 rounded-full bg-pine" style={{ width: `${(here / of) * 100}%` }} />
        </div>
      )}
      {full && (
        <p role="alert" className="mt-2 text-small text-brick">
          Your device is full. Remove something below, or free some space on the device; saving then carries
          on.
        </p>
      )}
      {wanted > 0 && !full && (
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

function useBrowserStorage() {
  const [known, setKnown] = useState<{ free?: number; persisted: boolean }>({ persisted: false })
  useEffect(
    () =>
      runWhenLoaded(async () => {
        const { quota, usage } = await navigator.storage.estimate()
        const persisted = await navigator.storage.persisted()
        const free = quota !== undefined && usage !== undefined ? Math.max(0, quota - usage) : undefined
        return () => setKnown({ persisted, ...(free !== undefined && { free }) })
      }),
    [],
  )
  return known
}
