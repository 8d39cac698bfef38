import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { useState } from 'react'
import { fileSize } from '../../../lib/file-size.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useSavedShelf } from './saved.ts'
import { SavedList, type Removal } from './saved-list.tsx'
import { SaveMore } from './save-more.tsx'
import { StorageMeter } from './storage-meter.tsx'
import { AudioExport } from './audio-export.tsx'

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
