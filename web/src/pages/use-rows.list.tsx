import { isInLibrary, type ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useCallback, useState } from 'react'
import { NewMark } from '../features/whats-new/new-teachings.tsx'
import { InlinePlayer } from '../features/audio/player/inline-player.tsx'
import { ListeningMark } from '../features/audio/player/listening-mark.tsx'
import { isSounding, type PlayerStatus } from '../features/audio/player/player-state.ts'
import { playableOf } from '../features/audio/player/recording-of.ts'
import { momentOf } from '../features/audio/player/resume-position.ts'
import { NeedsConnection } from '../features/audio/saved/needs-connection.tsx'
import { SaveControl } from '../features/audio/saved/save-control.tsx'
import { usePlayer, usePlayerState } from '../features/audio/player/use-player.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { RowMore } from '../features/listening/row-more.tsx'
import type { RowChange } from '../features/teachings/teaching-dialogs.tsx'
import { ShareButton } from '../features/teachings/share-button.tsx'
import type { OutboxView } from '../features/teachings/library.ts'
import { TeachingLink } from '../features/teachings/teaching-link.view.tsx'
import { TeachingRow, type RowPlayback } from '../features/teachings/teaching-row.tsx'
import { openHeld } from '../ui/held-dialog.ts'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'

const RowTools = lazyPart(() => import('../features/teachings/row-tools.tsx'), 'RowTools')
const RowSheet = lazyPart(() => import('./row-sheet.tsx'), 'RowSheet', asDialog)
const AddToSeries = lazyPart(() => import('./series-forms.tsx'), 'AddToSeries', asDialog)
const ChangeDialog = lazyPart(
  () => import('../features/teachings/teaching-dialogs.tsx'),
  'ChangeDialog',
  asDialog,
)

export const openChange = (change: RowChange): void => openHeld(ChangeDialog, change)

interface RowsProps {
  signedIn: boolean
  /** Reserves space for the row tools: a user is signed in, or probably is. */
  roomForMember: boolean
  outbox: OutboxView
  onManage: () => void
  /** The whole collection of the rows, in its order, if "Play on from here" is offered. */
  inOrder?: readonly ListedTeaching[] | undefined
}

/** Renders the rows, with the player inside the open one. */
export function useRows({ signedIn, roomForMember, outbox, onManage, inOrder }: RowsProps) {
  const player = usePlayer()
  const openUid = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const status = usePlayerState(player, (state) => state.status)
  const toSeries = useAddToSeries()
  // If the chunk of the row tools fails to load, the error is shown once, not for each row.
  const [toolless, setToolless] = useState(false)
  const toggle = useCallback(
    (teaching: ListedTeaching) => {
      const recording = playableOf(teaching)
      if (recording) player?.toggle(recording)
    },
    [player],
  )

  const momentIn = useCallback(({ uid }: ListedTeaching) => momentOf(player, uid), [player])

  // Memoized: typing in the search must not render every row again.
  return useCallback(
    (teaching: ListedTeaching) => {
      const recording = playableOf(teaching)
      const open = teaching.uid === openUid
      return (
        <TeachingRow
          teaching={teaching}
          playback={open ? playbackOf(status) : 'closed'}
          onToggle={() => toggle(teaching)}
          outboxState={outbox.byUid.get(teaching.uid)}
          link={<TeachingLink teaching={teaching} className="hover:text-pine hover:underline" />}
          share={<ShareButton teaching={teaching} momentOf={momentIn} />}
          more={<More teaching={teaching} momentOf={momentIn} toSeries={toSeries} inOrder={inOrder} />}
          novelty={<NewMark uid={teaching.uid} />}
          mark={
            recording && (
              <>
                <ListeningMark uid={teaching.uid} />
                <NeedsConnection teaching={teaching} />
              </>
            )
          }
          save={recording && <SaveControl teaching={teaching} inRow onManage={onManage} />}
          tools={
            roomForMember &&
            !toolless &&
            isInLibrary(teaching) && (
              // Rendered before the user is known, as it reserves the room.
              <>
                {signedIn && (
                  <RowTools teaching={teaching} onChange={openChange} onFailed={() => setToolless(true)} />
                )}
              </>
            )
          }
        >
          {player && recording && open && <InlinePlayer player={player} recording={recording} />}
        </TeachingRow>
      )
    },
    [
      inOrder,
      momentIn,
      onManage,
      openUid,
      outbox,
      player,
      roomForMember,
      signedIn,
      status,
      toggle,
      toolless,
      toSeries,
    ],
  )
}

interface MoreProps {
  teaching: ListedTeaching
  momentOf: (teaching: ListedTeaching) => number
  /** Undefined unless the user may edit. */
  toSeries: ToSeries | undefined
  /** The teachings of its collection on this page, in their order. */
  inOrder?: readonly ListedTeaching[] | undefined
}

export type ToSeries = (teaching: Teaching) => void

/** The button with all actions of a teaching. */
export function More({ teaching, momentOf, toSeries, inOrder }: MoreProps) {
  return (
    <RowMore
      teaching={teaching}
      sheet={(close) => (
        <RowSheet
          teaching={teaching}
          momentOf={momentOf}
          toSeries={toSeries}
          onChange={toSeries && openChange}
          inOrder={inOrder}
          onClose={close}
        />
      )}
    />
  )
}

/** Opens the dialog that adds a teaching to a series; undefined for visitors. */
export const useAddToSeries = (): ToSeries | undefined => (useAuth().user ? addToSeries : undefined)

const addToSeries: ToSeries = (teaching) => openHeld(AddToSeries, { teaching })

const playbackOf = (status: PlayerStatus): RowPlayback => (isSounding(status) ? 'playing' : 'paused')
