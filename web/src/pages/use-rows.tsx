import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { lazy, useCallback, useEffect, useState } from 'react'
import { InlinePlayer } from '../features/audio/player/inline-player.tsx'
import { isSounding, type PlayerStatus, type Recording } from '../features/audio/player/player-state.ts'
import { momentOf } from '../features/audio/player/resume-position.ts'
import { SaveControl } from '../features/audio/saved/save-control.tsx'
import { usePlayer, usePlayerState } from '../features/audio/player/use-player.ts'
import type { RowChange } from '../features/teachings/row-tools.tsx'
import { ShareButton } from '../features/teachings/share-button.tsx'
import { ShareOffer } from '../features/teachings/share-offer.tsx'
import type { OutboxView } from '../features/teachings/library.ts'
import { TeachingRow, type RowPlayback } from '../features/teachings/teaching-row.tsx'
import { LazyPart } from '../ui/lazy-part.tsx'
import type { Asked } from './use-asked.ts'

const RowTools = lazy(() =>
  import('../features/teachings/row-tools.tsx').then((m) => ({ default: m.RowTools })),
)
const ChangeDialog = lazy(() =>
  import('../features/teachings/row-tools.tsx').then((m) => ({ default: m.ChangeDialog })),
)

interface RowsProps {
  /** What is listed. */
  rows: readonly Teaching[]
  /** Everything there is, once that is known: what is open and gone from it is closed. */
  all: readonly Teaching[] | undefined
  signedIn: boolean
  /** Reserves space for the row tools: a user is signed in, or probably is. */
  roomForMember: boolean
  /** Changes that wait on this device. */
  outbox: OutboxView
  onManage: () => void
  /** The teaching that an address names, and the second of it, until it is played. */
  asked: Asked | null
}

/** The rows with the player inside the open one, which teaching that is, and the dialog in which one is changed. */
export function useRows({ rows, all, signedIn, roomForMember, outbox, onManage, asked }: RowsProps) {
  const player = usePlayer()
  const openUid = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const status = usePlayerState(player, (state) => state.status)
  // Not in its row: that leaves the page when a newer teaching comes, and becomes what somebody else made of it, while
  // one writes.
  const [change, setChange] = useState<RowChange | null>(null)
  if (change && !signedIn) setChange(null)
  // Their code did not come: that is told once, and not anew with every row that comes into sight.
  const [toolless, setToolless] = useState(false)
  const isOpen = ({ uid }: Teaching) => uid === openUid
  const playing = openUid === null ? null : (rows.find(isOpen) ?? all?.find(isOpen) ?? null)

  // Deleted meanwhile: without a row there is nothing to pause it by.
  const gone = openUid !== null && all !== undefined && playing === null
  useEffect(() => {
    if (gone) player?.close()
  }, [gone, player])

  const toggle = useCallback(
    (teaching: Teaching) => {
      const recording = recordingOf(teaching)
      if (recording) player?.toggle(recording)
    },
    [player],
  )

  // The same function as long as it draws the same: a key pressed in the search draws no row anew.
  const row = useCallback(
    (teaching: Teaching) => {
      const recording = recordingOf(teaching)
      const open = teaching.uid === openUid
      return (
        <TeachingRow
          teaching={teaching}
          playback={open ? playbackOf(status) : 'closed'}
          onToggle={() => toggle(teaching)}
          outboxState={outbox.byUid.get(teaching.uid)}
          share={<ShareButton teaching={teaching} momentOf={({ uid }) => momentOf(player, uid)} />}
          save={recording && <SaveControl teaching={teaching} onManage={onManage} />}
          tools={
            // Kept from a library it has left: there is nothing to edit.
            roomForMember &&
            !toolless &&
            teaching.id !== 0 && (
              <LazyPart onFailed={() => setToolless(true)}>
                {signedIn && <RowTools teaching={teaching} onChange={setChange} />}
              </LazyPart>
            )
          }
        >
          {player &&
            recording &&
            (open ? (
              <InlinePlayer player={player} recording={recording} />
            ) : (
              asked?.sent &&
              asked.uid === teaching.uid && (
                <ShareOffer at={asked.at} onPlay={(from) => player.playFrom(recording, from)} />
              )
            ))}
        </TeachingRow>
      )
    },
    [asked, onManage, openUid, outbox, player, roomForMember, signedIn, status, toggle, toolless],
  )
  const dialog = change && (
    <LazyPart onFailed={() => setChange(null)}>
      <ChangeDialog {...change} onClose={() => setChange(null)} />
    </LazyPart>
  )
  return { playing, row, toggle, dialog }
}

const recordingOf = (teaching: Teaching): Recording | null =>
  teaching.audioUrl
    ? {
        uid: teaching.uid,
        title: shownTitle(teaching),
        speaker: teaching.speaker,
        audioUrl: teaching.audioUrl,
        duration: teaching.duration,
        bytes: teaching.audioBytes,
      }
    : null

const playbackOf = (status: PlayerStatus | null): RowPlayback => (isSounding(status) ? 'playing' : 'paused')
