import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { useState } from 'react'
import { fetchesAhead } from '../data-choices.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { AudioExport } from './audio-export.tsx'
import { SaveMore } from './save-more.tsx'
import { type Removal, SavedList } from './saved-list.tsx'
import { removalQuestion } from './saved-status.ts'
import { useSavedShelf } from './saved.ts'
import { StorageMeter } from './storage-meter.tsx'

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
      <div className="mt-4">
        <StorageMeter recordings={recordings} />
      </div>
      <SaveMore rows={rows} />
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
  const shelf = useSavedShelf()
  const [pending, setPending] = useState(false)
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
      question={removalQuestion(removal.recordings, shelf, fetchesAhead())}
      confirmLabel="Remove"
      pending={pending}
      pendingLabel="Removing..."
      onConfirm={() => void remove()}
      onCancel={onClose}
    />
  )
}
