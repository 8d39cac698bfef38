import { isInLibrary, type ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { startSecond } from '@fellowship/schema/teachings/share-link'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useCallback, useState } from 'react'
import { InlinePlayer } from '../features/audio/player/inline-player.tsx'
import { ListeningMark } from '../features/audio/player/listening-mark.tsx'
import { PlayDisc } from '../features/audio/player/play-disc.view.tsx'
import { playableOf } from '../features/audio/player/recording-of.ts'
import { momentOf } from '../features/audio/player/resume-position.ts'
import { usePlayer, usePlayerState } from '../features/audio/player/use-player.ts'
import { DownloadButton } from '../features/audio/saved/download-button.tsx'
import { NeedsConnection } from '../features/audio/saved/needs-connection.tsx'
import { SaveControl } from '../features/audio/saved/save-control.tsx'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useCannotPlay } from '../features/teachings/cannot-play.ts'
import type { RowChange } from '../features/teachings/row-tools.tsx'
import { clockTime } from '../lib/clock-time.ts'
import { Button } from '../ui/button.tsx'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { RowActions, type ToSeries, useAddToSeries } from './use-rows.list.tsx'

const EditorTools = lazyPart(() => import('./editor-tools.tsx'), 'EditorTools')
const ChangeDialog = lazyPart(() => import('../features/teachings/row-tools.tsx'), 'ChangeDialog', asDialog)

interface TeachingListenProps {
  teaching: ListedTeaching
  rows: readonly ListedTeaching[]
}

/** Plays, saves, shares and downloads the teaching of the page; signed-in users can edit it. */
export function TeachingListen({ teaching, rows }: TeachingListenProps) {
  const player = usePlayer()
  const open = usePlayerState(player, (state) => state.recording?.uid === teaching.uid)
  const at = useLocation({ select: ({ search }) => startSecond((search as { at?: unknown }).at) })
  const cannotPlay = useCannotPlay(teaching.audioUrl)
  const navigate = useNavigate()
  const manage = useCallback(() => void navigate({ to: '/teaching', search: { show: 'saved' } }), [navigate])
  const moment = useCallback(({ uid }: ListedTeaching) => momentOf(player, uid), [player])
  const recording = playableOf(teaching)
  const editable = useAuth().user !== null && isInLibrary(teaching) ? teaching : undefined
  const { toSeries, seriesDialog } = useAddToSeries(rows)
  return (
    <div className="mt-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <PlayDisc teaching={teaching} />
        {recording && <SaveControl teaching={teaching} onManage={manage} />}
        {/* On a phone the editor's tools include them. */}
        <div className={editable ? 'max-sm:hidden' : undefined}>
          <RowActions teaching={teaching} momentOf={moment} toSeries={toSeries} />
        </div>
        {editable && <Tools teaching={editable} moment={moment} toSeries={toSeries} />}
        {recording && !open && <DownloadButton recording={recording} />}
      </div>
      {recording && (
        <p className="dotted mt-1 text-small text-soft">
          <ListeningMark uid={teaching.uid} /> <NeedsConnection audioUrl={recording.audioUrl} />
        </p>
      )}
      {!recording && <p className="text-wheat-text">{teachingTexts.audioComing}</p>}
      {cannotPlay && (
        <p className="mt-1 text-small text-wheat-text">{teachingTexts.cannotPlay(cannotPlay)}</p>
      )}
      {player && recording && (open || at !== undefined) && (
        <div className="mt-5 max-w-3xl">
          {open ? (
            <InlinePlayer player={player} recording={recording} />
          ) : (
            <ShareOffer at={at ?? 0} onPlay={(from) => player.playFrom(recording, from)} />
          )}
        </div>
      )}
      {seriesDialog}
    </div>
  )
}

interface ToolsProps {
  teaching: Teaching
  moment: (teaching: ListedTeaching) => number
  toSeries: ToSeries | undefined
}

function Tools({ teaching, moment, toSeries }: ToolsProps) {
  const [change, setChange] = useState<RowChange | null>(null)
  const [failed, setFailed] = useState(false)
  if (failed) return null
  return (
    <>
      <EditorTools
        teaching={teaching}
        momentOf={moment}
        onChange={setChange}
        toSeries={toSeries}
        onFailed={() => setFailed(true)}
      />
      {change && <ChangeDialog {...change} onClose={() => setChange(null)} />}
    </>
  )
}

interface ShareOfferProps {
  /** The position in the link, in seconds. */
  at: number
  onPlay: (from: number) => void
}

/** Offers to play the teaching of a shared link. Playback starts only on a click. */
function ShareOffer({ at, onPlay }: ShareOfferProps) {
  return (
    <div className="flex animate-rise flex-wrap items-center gap-x-4 gap-y-3 rounded-card bg-sunk p-4 sm:px-5 print:hidden">
      <p className="grow basis-52 text-small text-soft">
        {at > 0 ? `The link you followed begins at ${clockTime(at)}.` : 'The link you followed leads here.'}
      </p>
      <Button onClick={() => onPlay(at)}>
        <Play className="size-4 fill-current" />
        {at > 0 ? `Play from ${clockTime(at)}` : 'Play it'}
      </Button>
      {at > 0 && (
        <Button kind="quiet" onClick={() => onPlay(0)}>
          From the beginning
        </Button>
      )}
    </div>
  )
}
