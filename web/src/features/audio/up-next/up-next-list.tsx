import { upNextTexts } from '@fellowship/schema/listening/listening.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { ArrowDown, ArrowUp, GripVertical, X } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../../../lib/class-names.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useListDrag } from '../../../ui/use-list-drag.ts'
import { moveInUpNext, removeFromUpNext } from '../../listening/queue.device.ts'
import { useUpNext } from '../../listening/up-next.ts'
import type { Player } from '../player/player-state.ts'
import { playableOf } from '../player/recording-of.ts'
import { usePlayerState } from '../player/use-player.ts'
import { NeedsConnection } from '../saved/needs-connection.tsx'
import './up-next.css'

/** The teachings that play after the open one, with buttons to play, reorder and remove them. */
export function UpNextList({ player }: { player: Player }) {
  const open = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const [announcement, setAnnouncement] = useState('')
  // The open teaching stays in the list until its position is saved.
  const teachings = useUpNext()?.teachings.filter(({ uid }) => uid !== open)
  const moveTo = (uid: string, to: number) => {
    if (!teachings || to < 0 || to >= teachings.length) return
    const others = teachings.filter((teaching) => teaching.uid !== uid)
    void moveInUpNext(uid, others[to]?.uid ?? null)
    const moved = teachings.find((teaching) => teaching.uid === uid)
    if (moved) setAnnouncement(upNextTexts.moved(shownTitle(moved), to + 1, teachings.length))
  }
  const { list, drag, handle } = useListDrag(moveTo)
  // Reserves the height of the empty list, the most frequent case, so that nothing below moves.
  if (!teachings) return <Empty className="invisible" />
  if (teachings.length === 0) return <Empty />
  return (
    <>
      <ol ref={list} aria-label="Up next" className="mt-2">
        {teachings.map((teaching, at) => (
          <li
            key={teaching.uid}
            className={classNames(
              'up-next-row border-b border-line last:border-b-0',
              drag?.key === teaching.uid && 'opacity-60',
              drag && drag.key !== teaching.uid && drag.place === at && 'outline-2 outline-pine',
            )}
          >
            <IconButton
              label={`Reorder ${shownTitle(teaching)}: drag, or press the up and down arrow keys`}
              icon={GripVertical}
              className="cursor-grab touch-none active:cursor-grabbing"
              {...handle(teaching.uid, at)}
            />
            <div className="up-next-words">
              <PlayNow player={player} teaching={teaching} />
              <Moves
                title={shownTitle(teaching)}
                isFirst={at === 0}
                isLast={at === teachings.length - 1}
                onStep={(by) => moveTo(teaching.uid, at + by)}
                onRemove={() =>
                  void removeFromUpNext([teaching.uid], upNextTexts.removed(shownTitle(teaching)))
                }
              />
            </div>
          </li>
        ))}
      </ol>
      <div className="mt-2 flex justify-end">
        <Button
          kind="quiet"
          onClick={() =>
            void removeFromUpNext(
              teachings.map(({ uid }) => uid),
              upNextTexts.emptied,
            )
          }
        >
          Clear the list
        </Button>
      </div>
      <output className="sr-only">{announcement}</output>
    </>
  )
}

function Empty({ className }: { className?: string }) {
  return (
    <p className={classNames('mt-2 text-soft', className)}>
      {upNextTexts.empty} {upNextTexts.howToAdd}
    </p>
  )
}

function PlayNow({ player, teaching }: { player: Player; teaching: Teaching }) {
  const play = () => {
    const recording = playableOf(teaching)
    if (recording) player.playOn(recording)
  }
  return (
    <button type="button" className="min-h-13 min-w-0 rounded-card text-left hover:text-pine" onClick={play}>
      <span className="sr-only">Play now: </span>
      <span className="block font-medium wrap-anywhere">{shownTitle(teaching)}</span>
      <span className="block text-small text-soft">
        {teaching.speaker} {teaching.audioUrl && <NeedsConnection teaching={teaching} />}
      </span>
    </button>
  )
}

interface MovesProps {
  title: string
  isFirst: boolean
  isLast: boolean
  onStep: (by: -1 | 1) => void
  onRemove: () => void
}

/** The buttons stay enabled at both ends, as a button loses the focus when it is disabled. */
function Moves({ title, isFirst, isLast, onStep, onRemove }: MovesProps) {
  return (
    <div className="up-next-moves flex">
      <IconButton
        label={`Move ${title} up`}
        icon={ArrowUp}
        aria-disabled={isFirst}
        onClick={() => onStep(-1)}
      />
      <IconButton
        label={`Move ${title} down`}
        icon={ArrowDown}
        aria-disabled={isLast}
        onClick={() => onStep(1)}
      />
      <IconButton kind="danger" label={`Remove ${title} from Up next`} icon={X} onClick={onRemove} />
    </div>
  )
}
