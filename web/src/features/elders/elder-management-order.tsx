import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { ArrowDown, ArrowUp, GripVertical, Pencil, Trash2 } from 'lucide-react'
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useMoveElder } from './elder-admin.queries.ts'
import { ElderPicture } from './elder-picture.tsx'
import './elder-management-order.css'

interface ElderOrderProps {
  elders: readonly Elder[]
  onEdit: (elder: Elder) => void
  onDelete: (elder: Elder) => void
}

/** A drag in progress: the elder's id, and the index where a drop would put it. */
interface Drag {
  id: number
  place: number
}

/** The elders in display order, reordered by a drag handle (pointer or arrow keys) or by the arrow buttons. */
export function ElderOrder({ elders, onEdit, onDelete }: ElderOrderProps) {
  const list = useRef<HTMLOListElement>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const move = useMoveElder()
  const moveTo = (elder: Elder, place: number) => {
    if (place < 0 || place >= elders.length) return
    move(elder, place)
    setAnnouncement(`${elder.name} is now number ${place + 1} of ${elders.length}.`)
  }
  const placeUnder = (y: number) => {
    const rows = [...list.current!.children].map((row) => row.getBoundingClientRect())
    const at = rows.findIndex(({ bottom }) => y < bottom)
    return at < 0 ? rows.length - 1 : at
  }
  const drop = (elder: Elder) => {
    if (drag) moveTo(elder, drag.place)
    setDrag(null)
  }
  return (
    <>
      <ol ref={list} className="grid gap-3">
        {elders.map((elder, at) => (
          <li
            key={elder.uid}
            className={classNames(
              'elder-line flex flex-wrap items-center gap-x-4 rounded-card border border-line bg-raised p-3 shadow-soft',
              drag?.id === elder.id && 'elder-dragged',
              drag && drag.id !== elder.id && drag.place === at && 'elder-place',
            )}
          >
            <Handle
              elder={elder}
              onGrab={() => setDrag({ id: elder.id, place: at })}
              onDrag={(y) => drag && setDrag({ ...drag, place: placeUnder(y) })}
              onDrop={() => drop(elder)}
              onCancel={() => setDrag(null)}
              onStep={(by) => moveTo(elder, at + by)}
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
                disabled={at === 0}
                onClick={() => moveTo(elder, at - 1)}
              >
                <ArrowUp aria-hidden="true" className="size-5" />
              </IconButton>
              <IconButton
                label={`Move ${elder.name} down`}
                disabled={at === elders.length - 1}
                onClick={() => moveTo(elder, at + 1)}
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

interface HandleProps {
  elder: Elder
  onGrab: () => void
  onDrag: (y: number) => void
  onDrop: () => void
  onCancel: () => void
  onStep: (by: -1 | 1) => void
}

/** Uses pointer events, as the native drag and drop does not work by touch. */
function Handle({ elder, onGrab, onDrag, onDrop, onCancel, onStep }: HandleProps) {
  const grab = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    onGrab()
  }
  const step = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return onCancel()
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    if (!by) return
    event.preventDefault()
    onStep(by)
  }
  return (
    <IconButton
      label={`Reorder ${elder.name}: drag, or press the up and down arrow keys`}
      className="elder-handle"
      onPointerDown={grab}
      onPointerMove={(event) => onDrag(event.clientY)}
      onPointerUp={onDrop}
      onPointerCancel={onCancel}
      onKeyDown={step}
    >
      <GripVertical aria-hidden="true" className="size-5" />
    </IconButton>
  )
}
