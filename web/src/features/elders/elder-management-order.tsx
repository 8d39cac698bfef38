import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { ArrowDown, ArrowUp, GripVertical, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useListDrag } from '../../ui/use-list-drag.ts'
import { useMoveElder } from './elder-queries.admin.ts'
import { ElderPicture } from './elder-picture.tsx'
import './elder-management-order.css'

interface ElderOrderProps {
  elders: readonly Elder[]
  onEdit: (elder: Elder) => void
  onDelete: (elder: Elder) => void
}

/** The elders in display order, reordered by a drag handle (pointer or arrow keys) or by the arrow buttons. */
export function ElderOrder({ elders, onEdit, onDelete }: ElderOrderProps) {
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
              className="elder-handle"
              {...handle(elder.uid, at)}
            >
              <GripVertical aria-hidden="true" className="size-5" />
            </IconButton>
            <ElderPicture elder={elder} sizes="5rem" className="elder-thumb shrink-0" />
            <div className="elder-words min-w-0 wrap-anywhere">
              <h3 className="text-xl">{elder.name}</h3>
              <p className="font-medium text-wheat-text">{elder.role}</p>
              <p className="admin-two-lines mt-1 text-small text-soft max-sm:hidden">{elder.shortBio}</p>
            </div>
            <div className="elder-buttons flex flex-wrap justify-end">
              <IconButton
                label={`Move ${elder.name} up`}
                disabled={at === 0}
                onClick={() => moveTo(elder.uid, at - 1)}
              >
                <ArrowUp aria-hidden="true" className="size-5" />
              </IconButton>
              <IconButton
                label={`Move ${elder.name} down`}
                disabled={at === elders.length - 1}
                onClick={() => moveTo(elder.uid, at + 1)}
              >
                <ArrowDown aria-hidden="true" className="size-5" />
              </IconButton>
              <IconButton label={`Edit ${elder.name}`} onClick={() => onEdit(elder)}>
                <Pencil aria-hidden="true" className="size-5" />
              </IconButton>
              <IconButton kind="danger" label={`Delete ${elder.name}`} onClick={() => onDelete(elder)}>
                <Trash2 aria-hidden="true" className="size-5" />
              </IconButton>
            </div>
          </li>
        ))}
      </ol>
      <output className="sr-only">{announcement}</output>
    </>
  )
}
