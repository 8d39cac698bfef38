import type { Series } from '@fellowship/schema/series/series.schema'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useNavigate } from '@tanstack/react-router'
import { Image as ImageIcon, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'

const SeriesDialog = lazyPart(async () => (await import('./series-dialog.tsx')).SeriesDialog, asDialog)
const SeriesPictureDialog = lazyPart(
  async () => (await import('./series-picture-dialog.tsx')).SeriesPictureDialog,
  asDialog,
)
const DeleteSeriesDialog = lazyPart(
  async () => (await import('./delete-series-dialog.tsx')).DeleteSeriesDialog,
  asDialog,
)

interface SeriesToolsProps {
  series: Series
  /** The library. */
  rows: readonly Teaching[]
  userId: number
}

/** For users who may edit: the buttons that edit a series, set its picture and delete it, with their dialogs. */
export function SeriesTools({ series, rows, userId }: SeriesToolsProps) {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'picture' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Button kind="quiet" aria-haspopup="dialog" onClick={() => setOpen('edit')}>
        <Pencil aria-hidden="true" className="size-5" />
        Edit
      </Button>
      {/* A series that was begun on this device and not sent yet cannot have a picture. */}
      {series.rev > 0 && (
        <Button kind="quiet" aria-haspopup="dialog" onClick={() => setOpen('picture')}>
          <ImageIcon aria-hidden="true" className="size-5" />
          Picture
        </Button>
      )}
      <Button kind="quiet" aria-haspopup="dialog" onClick={() => setOpen('delete')}>
        <Trash2 aria-hidden="true" className="size-5" />
        Delete
      </Button>
      {open === 'edit' && <SeriesDialog series={series} rows={rows} userId={userId} onClose={close} />}
      {open === 'picture' && <SeriesPictureDialog series={series} onClose={close} />}
      {open === 'delete' && (
        <DeleteSeriesDialog
          series={series}
          userId={userId}
          onClose={close}
          onDeleted={() => void navigate({ to: '/$', params: { _splat: 'series' } })}
        />
      )}
    </>
  )
}
