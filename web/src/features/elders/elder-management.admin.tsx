import { orderBehind } from '@fellowship/schema/elders/display-order'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { ArrowDown, ArrowUp, GripVertical, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { openHeld } from '../../ui/held-dialog.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { LoadFailure } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useListDrag } from '../../ui/use-list-drag.ts'
import { ElderForm } from './elder-management-form.tsx'
import './elder-management-order.css'
import { ElderPicture } from './elder-picture.tsx'
import { useDeleteElder, useEldersNow, useMoveElder } from './elder-queries.admin.ts'
import { elderPlaceholders } from '../../ui/timings.ts'

export function ElderManagement() {
  const { data } = useEldersNow()
  const edit = (elder?: Elder) => openHeld(ElderForm, { elder, lastOrder: orderBehind(data ?? []) })
  return (
    <Section
      title="Elders"
      description="They are shown on the Home and About pages in this order. Drag an elder by the handle, or use the arrows."
      actions={
        <Button icon={Plus} onClick={() => edit()}>
          Add Elder
        </Button>
      }
    >
      <List onEdit={edit} onDelete={(elder) => openHeld(DeleteElder, { elder })} />
    </Section>
  )
}

interface ListProps {
  onEdit: (elder: Elder) => void
  onDelete: (elder: Elder) => void
}

function List(props: ListProps) {
  const { data, error, refetch } = useEldersNow()
  if (data && data.length > 0) return <ElderOrder elders={data} {...props} />
  if (data) return <EmptyState title="No elders yet">Add the first one with the button above.</EmptyState>
  if (error) return <LoadFailure sentence={elderTexts.fetchFailed} onRetry={() => void refetch()} />
  return (
    <div className="grid gap-3">
      <output className="sr-only">Loading the elders</output>
      {Array.from({ length: elderPlaceholders }, (_, at) => (
        <Skeleton key={at} className="h-32 w-full" />
      ))}
    </div>
  )
}

function DeleteElder({ elder, onClose }: { elder: Elder; onClose: () => void }) {
  const remove = useDeleteElder()
  return (
    <ConfirmDialog
      title="Delete Elder"
      question={elderTexts.confirmDelete(elder.name)}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(elder, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}

interface ElderOrderProps {
  elders: readonly Elder[]
  onEdit: (elder: Elder) => void
  onDelete: (elder: Elder) => void
}

/** The elders in display order, reordered by a drag handle (pointer or arrow keys) or by the arrow buttons. */
function ElderOrder({ elders, onEdit, onDelete }: ElderOrderProps) {
  const [announcement, setAnnouncement] = useState('')
  const move = useMoveElder()
  const moveTo = (uid: string, place: number) => {
    const elder = elders.find((other) => other.uid === uid)
    if (!elder || place < 0 || place >= elders.length) return
    move(elder, place)
    setAnnouncement(`${elder.name} is now number ${place + 1} of ${elders.length}.`)
  }
  const { list, drag, handle } = useListDrag(moveTo)
  return (
    <>
      <ol ref={list} className="grid gap-3">
        {elders.map((elder, at) => (
          <li
            key={elder.uid}
            className={classNames(
              'elder-line flex flex-wrap items-center gap-x-4 rounded-card border border-line bg-raised p-3 shadow-soft',
              drag?.key === elder.uid && 'elder-dragged',
              drag && drag.key !== elder.uid && drag.place === at && 'elder-place',
            )}
          >
            <IconButton
              label={`Reorder ${elder.name}: drag, or press the up and down arrow keys`}
              icon={GripVertical}
              className="elder-handle"
              {...handle(elder.uid, at)}
            />
            <ElderPicture elder={elder} sizes="5rem" className="elder-thumb shrink-0" />
            <div className="elder-words min-w-0 wrap-anywhere">
              <h3 className="text-xl">{elder.name}</h3>
              <p className="font-medium text-wheat-text">{elder.role}</p>
              <p className="admin-two-lines mt-1 text-small text-soft max-sm:hidden">{elder.shortBio}</p>
            </div>
            <div className="elder-buttons flex flex-wrap justify-end">
              <IconButton
                label={`Move ${elder.name} up`}
                icon={ArrowUp}
                disabled={at === 0}
                onClick={() => moveTo(elder.uid, at - 1)}
              />
              <IconButton
                label={`Move ${elder.name} down`}
                icon={ArrowDown}
                disabled={at === elders.length - 1}
                onClick={() => moveTo(elder.uid, at + 1)}
              />
              <IconButton label={`Edit ${elder.name}`} icon={Pencil} onClick={() => onEdit(elder)} />
              <IconButton
                kind="danger"
                label={`Delete ${elder.name}`}
                icon={Trash2}
                onClick={() => onDelete(elder)}
              />
            </div>
          </li>
        ))}
      </ol>
      <output className="sr-only">{announcement}</output>
    </>
  )
}
