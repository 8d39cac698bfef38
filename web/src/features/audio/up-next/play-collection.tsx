import { counted } from '@fellowship/schema/counted'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { ListMusic, ListOrdered, Play } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/choice.tsx'
import { asDialog, lazyPart } from '../../../ui/lazy-part.tsx'
import { useUpNext } from '../../listening/up-next.ts'
import { usePlayer, usePlayerState } from '../player/use-player.ts'
import { SaveCollection } from '../saved/save-collection.tsx'
import { playThrough } from './play-through.ts'

interface InOrderProps {
  /** The teachings of a collection, in their order. */
  inOrder: readonly ListedTeaching[]
}

/** Plays and saves a collection: in one part, so that none of the buttons moves when another one appears. */
export function CollectionActions({ rows }: { rows: readonly Teaching[] }) {
  return (
    <>
      <PlayAll inOrder={rows} />
      <UpNextOffer />
      <SaveCollection rows={rows} />
    </>
  )
}

/** Plays all of a collection, one after the other. Renders nothing if it has no audio. */
function PlayAll({ inOrder }: InOrderProps) {
  const player = usePlayer()
  const first = inOrder.find(({ audioUrl }) => audioUrl)
  if (!player || !first) return null
  return (
    <Button onClick={() => playThrough(player, inOrder, first.uid)}>
      <Play className="size-5 shrink-0 fill-current" />
      Play all
    </Button>
  )
}

const UpNextSheet = lazyPart(() => import('./up-next-sheet.tsx'), 'UpNextSheet', asDialog)

/** Opens the list when something plays: here the row of the open teaching has the player, and there is no bar. */
function UpNextOffer() {
  const player = usePlayer()
  const open = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const [isShown, setShown] = useState(false)
  const count = useUpNext()?.teachings.filter(({ uid }) => uid !== open).length ?? 0
  if (!player) return null
  return (
    <>
      {open !== null && count > 0 && (
        <Button
          kind="quiet"
          aria-haspopup="dialog"
          aria-label={`Up next: ${counted(count, 'teaching')}`}
          // On a phone there is room beside Play all, so that nothing below moves when it appears.
          className="sm:order-last"
          onClick={() => setShown(true)}
        >
          <ListOrdered className="size-5 shrink-0" />
          Up next: {count}
        </Button>
      )}
      {isShown && <UpNextSheet player={player} onClose={() => setShown(false)} />}
    </>
  )
}

interface FromHereProps extends InOrderProps {
  teaching: ListedTeaching
}

/** Plays a teaching and all that follow it in the collection. Renders nothing if none follows. */
export function PlayOnButton({ teaching, inOrder }: FromHereProps) {
  const player = usePlayer()
  if (!player || !isFollowed(teaching, inOrder)) return null
  return (
    <Button kind="secondary" onClick={() => playThrough(player, inOrder, teaching.uid)}>
      <ListMusic className="size-5 shrink-0" />
      Play on from here
    </Button>
  )
}

/** `PlayOnButton` as an entry of a sheet of choices. */
export function PlayOnChoice({ teaching, inOrder, onDone }: FromHereProps & { onDone: () => void }) {
  const player = usePlayer()
  if (!player || !isFollowed(teaching, inOrder)) return null
  const choose = () => {
    onDone()
    playThrough(player, inOrder, teaching.uid)
  }
  return (
    <Choice icon={ListMusic} onClick={choose}>
      Play on from here
    </Choice>
  )
}

function isFollowed({ uid }: ListedTeaching, inOrder: readonly ListedTeaching[]): boolean {
  const at = inOrder.findIndex((each) => each.uid === uid)
  return at >= 0 && inOrder.slice(at + 1).some(({ audioUrl }) => audioUrl)
}
