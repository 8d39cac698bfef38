import { isInLibrary, type ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useCallback, useEffect, useMemo, useState } from 'react'
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
import type { RowChange } from '../features/teachings/row-tools.tsx'
import { ShareButton } from '../features/teachings/share-button.tsx'
import type { OutboxView } from '../features/teachings/library.ts'
import { TeachingLink } from '../features/teachings/teaching-link.view.tsx'
import { TeachingRow, type RowPlayback } from '../features/teachings/teaching-row.tsx'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'

const EditorTools = lazyPart(() => import('./editor-tools.tsx'), 'EditorTools')
const RowSheet = lazyPart(() => import('./row-sheet.tsx'), 'RowSheet', asDialog)
const AddToSeriesDialog = lazyPart(
  () => import('../features/series/add-to-series-dialog.tsx'),
  'AddToSeriesDialog',
  asDialog,
)
const ChangeDialog = lazyPart(() => import('../features/teachings/row-tools.tsx'), 'ChangeDialog', asDialog)

interface RowsProps {
  rows: readonly ListedTeaching[]
  /** All teachings, once loaded: an open teaching that is missing here is closed. */
  all: readonly ListedTeaching[] | undefined
  signedIn: boolean
  /** Reserves space for the row tools: a user is signed in, or probably is. */
  roomForMember: boolean
  outbox: OutboxView
  onManage: () => void
  /** The whole collection of the rows, in its order, if "Play on from here" is offered. */
  inOrder?: readonly ListedTeaching[] | undefined
}

/** Renders the rows with the player inside the open one; also returns the open teaching and the edit dialog. */
export function useRows({ rows, all, signedIn, roomForMember, outbox, onManage, inOrder }: RowsProps) {
  const player = usePlayer()
  const openUid = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const status = usePlayerState(player, (state) => state.status)
  // State outside of the row, as a sync may unmount or change the row while the user is typing.
  const [change, setChange] = useState<RowChange | null>(null)
  if (change && !signedIn) setChange(null)
  const { toSeries, seriesDialog } = useAddToSeries(all ?? rows)
  // If the chunk of the row tools fails to load, the error is shown once, not for each row.
  const [toolless, setToolless] = useState(false)
  const isOpen = ({ uid }: ListedTeaching) => uid === openUid
  const playing = openUid === null ? null : (rows.find(isOpen) ?? all?.find(isOpen) ?? null)

  // If the open teaching is deleted, it has no row and so no pause button.
  const isDeleted = openUid !== null && all !== undefined && playing === null
  useEffect(() => {
    if (isDeleted) player?.close()
  }, [isDeleted, player])

  const toggle = useCallback(
    (teaching: ListedTeaching) => {
      const recording = playableOf(teaching)
      if (recording) player?.toggle(recording)
    },
    [player],
  )

  const momentIn = useCallback(({ uid }: ListedTeaching) => momentOf(player, uid), [player])

  // Memoized: typing in the search must not render every row again.
  const row = useCallback(
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
          share={<RowActions teaching={teaching} momentOf={momentIn} toSeries={toSeries} inOrder={inOrder} />}
          novelty={<NewMark uid={teaching.uid} />}
          mark={
            recording && (
              <>
                <ListeningMark uid={teaching.uid} />
                <NeedsConnection audioUrl={recording.audioUrl} />
              </>
            )
          }
          save={recording && <SaveControl teaching={teaching} inRow onManage={onManage} />}
          tools={
            roomForMember &&
            !toolless &&
            isInLibrary(teaching) && (
              <>
                {signedIn && (
                  <EditorTools
                    teaching={teaching}
                    momentOf={momentIn}
                    onChange={setChange}
                    toSeries={toSeries}
                    inOrder={inOrder}
                    onFailed={() => setToolless(true)}
                  />
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
  const dialog = (
    <>
      {change && <ChangeDialog {...change} onClose={() => setChange(null)} />}
      {seriesDialog}
    </>
  )
  return { playing, row, dialog }
}

interface RowActionsProps {
  teaching: ListedTeaching
  momentOf: (teaching: ListedTeaching) => number
  /** Undefined unless the user may edit. */
  toSeries: ToSeries | undefined
  /** The teachings of its collection on this page, in their order. */
  inOrder?: readonly ListedTeaching[] | undefined
}

export type ToSeries = (teaching: Teaching) => void

/** Share and more; on a phone share is one of the choices. */
export function RowActions({ teaching, momentOf, toSeries, inOrder }: RowActionsProps) {
  return (
    <div className="flex">
      <div className="max-sm:hidden">
        <ShareButton teaching={teaching} momentOf={momentOf} />
      </div>
      <RowMore
        teaching={teaching}
        sheet={(close) => (
          <RowSheet
            teaching={teaching}
            momentOf={momentOf}
            toSeries={toSeries}
            inOrder={inOrder}
            onClose={close}
          />
        )}
      />
    </div>
  )
}

/** The dialog that adds a teaching to a series, and the function that opens it; undefined for visitors. */
export function useAddToSeries(rows: readonly ListedTeaching[]) {
  const { user } = useAuth()
  const [teaching, setTeaching] = useState<Teaching>()
  const close = () => setTeaching(undefined)
  const inLibrary = useMemo(() => (teaching ? rows.filter(isInLibrary) : []), [teaching, rows])
  return {
    toSeries: user ? setTeaching : undefined,
    seriesDialog: teaching && user && (
      <AddToSeriesDialog teaching={teaching} rows={inLibrary} userId={user.id} onClose={close} />
    ),
  }
}

const playbackOf = (status: PlayerStatus): RowPlayback => (isSounding(status) ? 'playing' : 'paused')
