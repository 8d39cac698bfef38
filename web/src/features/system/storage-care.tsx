import type { Orphan } from '@fellowship/schema/audio/audio.contract'
import { counted } from '@fellowship/schema/counted'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { useCleanup } from './system-queries.admin.ts'

/** A warning about orphaned recordings, which are listed before they can be deleted. */
export function OrphanWarning({ orphans, bytes }: { orphans: readonly Orphan[]; bytes: number }) {
  const [asking, setAsking] = useState(false)
  const cleanup = useCleanup()
  const files = counted(orphans.length, 'orphaned file')
  return (
    <div className="mt-5">
      <Banner
        tone="wheat"
        title={`${files}, ${fileSize(bytes)}`}
        icon={<TriangleAlert aria-hidden="true" className="size-5" />}
      >
        <p>No teaching refers to them, and they are more than a day old.</p>
        <Button kind="secondary" className="mt-3 mb-1" onClick={() => setAsking(true)}>
          Clean up orphaned files
        </Button>
      </Banner>
      {asking && (
        <Dialog
          title="Delete these files?"
          description="Nobody can play them. Deleted files can only be restored from a backup."
          closable={!cleanup.isPending}
          onClose={() => setAsking(false)}
        >
          <ScrollRegion label="The files" className="mt-5 max-h-72 rounded-card border border-line">
            <ul className="divide-y divide-line">
              {orphans.map(({ name, bytes: size, modifiedAt }) => (
                <li key={name} className="px-4 py-2 text-small">
                  <span className="wrap-anywhere">{name}</span>
                  <span className="block text-soft">
                    {fileSize(size)}, from {shownMoment(modifiedAt, 'day')}
                  </span>
                </li>
              ))}
            </ul>
          </ScrollRegion>
          <div className="mt-8 flex flex-wrap justify-end gap-3">
            <Button
              kind="secondary"
              data-autofocus
              disabled={cleanup.isPending}
              onClick={() => setAsking(false)}
            >
              Cancel
            </Button>
            <Button
              kind="danger"
              pending={cleanup.isPending}
              pendingLabel="Deleting..."
              onClick={() => cleanup.mutate(undefined, { onSettled: () => setAsking(false) })}
            >
              Delete {files}
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  )
}
