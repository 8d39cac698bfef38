import { ArrowDown, ArrowUp, GripVertical, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useListDrag } from '../../ui/use-list-drag.ts'

interface OrderEditorProps {
  uids: readonly string[]
  titleOf: (uid: string) => string
  onChange: (uids: string[]) => void
}

/** The teachings of a series in order, moved by dragging, by keys or by buttons. */
export function OrderEditor({ uids, titleOf, onChange }: OrderEditorProps) {
  const id = useId()
  const [said, setSaid] = useState('')
  const focus = useRef<string>(undefined)
  const move = (from: number, to: number, way: 'up' | 'down' | 'by handle') => {
    if (to < 0 || to >= uids.length) return
    focus.current = `${way} ${uids[from]}`
    setSaid(`${titleOf(uids[from]!)} is now ${to + 1} of ${uids.length}`)
    onChange(moved(uids, from, to))
  }
  const { list, drag, handle } = useListDrag((uid, to) => move(uids.indexOf(uid), to, 'by handle'))
  // Browsers remove the focus from a button whose row moves.
  useEffect(() => {
    const wanted = focus.current
    focus.current = undefined
    if (wanted) list.current?.querySelector<HTMLElement>(`[data-move="${wanted}"]`)?.focus()
  }, [uids, list])
  return (
    <div>
      <p id={id} className="text-small font-medium text-ink">
        Teachings in order
      </p>
      <ol ref={list} aria-labelledby={id} className="mt-1.5 flex flex-col divide-y divide-line">
        {uids.map((uid, at) => (
          <li
            key={uid}
            className={classNames(
              'flex flex-wrap items-center gap-x-2 py-1',
              drag?.key === uid && 'opacity-60',
              drag && drag.key !== uid && drag.place === at && 'outline-2 outline-pine',
            )}
          >
            <IconButton
              label={`Reorder ${titleOf(uid)}: drag, or press the up and down arrow keys`}
              icon={GripVertical}
              data-move={`by handle ${uid}`}
              className="shrink-0 cursor-grab touch-none active:cursor-grabbing"
              {...handle(uid, at)}
            />
            <span className="min-w-0 flex-1 basis-32 wrap-anywhere">{titleOf(uid)}</span>
            {/* With large text the buttons have a line of their own. */}
            <div className="ml-auto flex flex-wrap justify-end">
              <IconButton
                label={`Move up ${titleOf(uid)}`}
                icon={ArrowUp}
                data-move={`up ${uid}`}
                aria-disabled={at === 0 || undefined}
                onClick={() => move(at, at - 1, 'up')}
              />
              <IconButton
                label={`Move down ${titleOf(uid)}`}
                icon={ArrowDown}
                data-move={`down ${uid}`}
                aria-disabled={at === uids.length - 1 || undefined}
                onClick={() => move(at, at + 1, 'down')}
              />
              <IconButton
                kind="danger"
                label={`Take out ${titleOf(uid)}`}
                icon={X}
                onClick={() => onChange(uids.filter((other) => other !== uid))}
              />
            </div>
          </li>
        ))}
      </ol>
      {uids.length === 0 && <p className="mt-1.5 text-soft">None yet. Find them below.</p>}
      <output className="sr-only">{said}</output>
    </div>
  )
}

/** The list with one member at another index; an index outside of the list means its nearest end. */
export function moved<Value>(list: readonly Value[], from: number, to: number): Value[] {
  const rest = list.filter((_, at) => at !== from)
  rest.splice(Math.max(0, to), 0, ...list.slice(from, from + 1))
  return rest
}
