import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { ArrowDown, ArrowUp, GripVertical, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useListDrag } from '../../ui/use-list-drag.ts'
import { moved } from './moved.ts'

interface OrderEditorProps {
  uids: readonly string[]
  /** The library by uid; deleted teachings are missing. */
  library: ReadonlyMap<string, Teaching>
  onChange: (uids: string[]) => void
}

/** The teachings of a series in order, moved by dragging, by keys or by buttons. */
export function OrderEditor({ uids, library, onChange }: OrderEditorProps) {
  const id = useId()
  const [said, setSaid] = useState('')
  const focus = useRef<string>(undefined)
  const titleOf = (uid: string) => {
    const teaching = library.get(uid)
    return teaching ? shownTitle(teaching) : 'A deleted teaching'
  }
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
              data-move={`by handle ${uid}`}
              className="shrink-0 cursor-grab touch-none active:cursor-grabbing"
              {...handle(uid, at)}
            >
              <GripVertical aria-hidden="true" className="size-5" />
            </IconButton>
            <span className="min-w-0 flex-1 basis-32 wrap-anywhere">{titleOf(uid)}</span>
            {/* With large text the buttons have a line of their own. */}
            <div className="ml-auto flex flex-wrap justify-end">
              <IconButton
                label={`Move up ${titleOf(uid)}`}
                data-move={`up ${uid}`}
                aria-disabled={at === 0 || undefined}
                onClick={() => move(at, at - 1, 'up')}
              >
                <ArrowUp aria-hidden="true" className="size-5" />
              </IconButton>
              <IconButton
                label={`Move down ${titleOf(uid)}`}
                data-move={`down ${uid}`}
                aria-disabled={at === uids.length - 1 || undefined}
                onClick={() => move(at, at + 1, 'down')}
              >
                <ArrowDown aria-hidden="true" className="size-5" />
              </IconButton>
              <IconButton
                kind="danger"
                label={`Take out ${titleOf(uid)}`}
                onClick={() => onChange(uids.filter((other) => other !== uid))}
              >
                <X aria-hidden="true" className="size-5" />
              </IconButton>
            </div>
          </li>
        ))}
      </ol>
      {uids.length === 0 && <p className="mt-1.5 text-soft">None yet. Find them below.</p>}
      <output className="sr-only">{said}</output>
    </div>
  )
}
