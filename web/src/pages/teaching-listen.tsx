import { isInLibrary, type ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { startSecond } from '@fellowship/schema/teachings/share-link'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import type { Paragraph } from '@fellowship/schema/transcripts/paragraphs'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { BookOpenText, Play } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { InlinePlayer } from '../features/audio/player/inline-player.tsx'
import { ListeningMark } from '../features/audio/player/listening-mark.tsx'
import { PlayDisc } from '../features/audio/player/play-disc.view.tsx'
import { PlayerChapters, PlayerSkip } from '../features/audio/player/player-chapters.tsx'
import { playableOf } from '../features/audio/player/recording-of.ts'
import { momentOf } from '../features/audio/player/resume-position.ts'
import { usePicture } from '../features/audio/player/use-picture.ts'
import { usePlayer, usePlayerState } from '../features/audio/player/use-player.ts'
import { DownloadButton } from '../features/audio/saved/download-button.tsx'
import { NeedsConnection } from '../features/audio/saved/needs-connection.tsx'
import { SaveControl } from '../features/audio/saved/save-control.tsx'
import { useAuth } from '../features/auth/auth-context.tsx'
import { ShareButton } from '../features/teachings/share-button.tsx'
import { useCannotPlay } from '../features/teachings/cannot-play.ts'
import { SaidText } from '../features/transcripts/said-text.tsx'
import { classNames } from '../lib/class-names.ts'
import { clockTime } from '../lib/clock-time.ts'
import { useHydrated } from '../lib/use-hydrated.ts'
import { Button } from '../ui/button.tsx'
import { asDialog, lazyPart, optional } from '../ui/lazy-part.tsx'
import { More, openChange, useAddToSeries } from './use-rows.list.tsx'

const NotesPart = lazyPart(() => import('../features/listening/notes-part.tsx'), 'NotesPart', optional)
const RowTools = lazyPart(() => import('../features/teachings/row-tools.tsx'), 'RowTools')

interface TeachingListenProps {
  teaching: ListedTeaching
}

/** Plays, saves, shares and downloads the teaching of the page; signed-in users can edit it. */
export function TeachingListen({ teaching }: TeachingListenProps) {
  const player = usePlayer()
  const open = usePlayerState(player, (state) => state.recording?.uid === teaching.uid)
  const at = useLocation({ select: ({ search }) => startSecond((search as { at?: unknown }).at) })
  const cannotPlay = useCannotPlay(teaching.audioUrl)
  const navigate = useNavigate()
  const manage = useCallback(() => void navigate({ to: '/teaching', search: { show: 'saved' } }), [navigate])
  const moment = useCallback(({ uid }: ListedTeaching) => momentOf(player, uid), [player])
  const recording = playableOf(teaching)
  const picture = usePicture(open ? recording?.soundUrl : undefined)
  const playButton = useFocusWhenOpened(open)
  const editable = useAuth().user !== null && isInLibrary(teaching) ? teaching : undefined
  const toSeries = useAddToSeries()
  return (
    <div className="mt-8 max-w-4xl">
      {player && recording && open && (
        <InlinePlayer player={player} recording={recording} picture={picture} playButton={playButton} />
      )}
      {player && recording && !open && at !== undefined && (
        <ShareOffer at={at} onPlay={(from) => player.playFrom(playableOf(teaching) ?? recording, from)} />
      )}
      <div
        className={classNames(
          'flex flex-wrap items-center gap-x-2 gap-y-3 sm:gap-x-3',
          (open || at !== undefined) && 'mt-4',
        )}
      >
        {!open && at === undefined && <PlayDisc teaching={teaching} />}
        {recording && <SaveControl teaching={teaching} onManage={manage} />}
        <div className="max-sm:hidden">
          <ShareButton teaching={teaching} momentOf={moment} />
        </div>
        <More teaching={teaching} momentOf={moment} toSeries={toSeries} />
        {editable && <Tools teaching={editable} />}
        {recording && !open && <DownloadButton recording={recording} />}
      </div>
      <WithChapters teaching={teaching} of="skip" />
      {recording && (
        <p className="dotted mt-1 text-small text-soft">
          <ListeningMark uid={teaching.uid} /> <NeedsConnection teaching={teaching} />
        </p>
      )}
      {!recording && <p className="text-wheat-text">{teachingTexts.audioComing}</p>}
      {cannotPlay && (
        <p className="mt-1 text-small text-wheat-text">{teachingTexts.cannotPlay(cannotPlay)}</p>
      )}
      {recording && (
        <noscript>
          {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
          <audio controls preload="none" src={recording.audioUrl} className="mt-4 w-full" />
        </noscript>
      )}
    </div>
  )
}

/** The player's play button. It is focused when the player replaces the pressed button, so that the keyboard keeps its place. */
function useFocusWhenOpened(open: boolean) {
  const playButton = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(open)
  useEffect(() => {
    const isLost = document.activeElement === document.body
    if (open && !wasOpen.current && isLost) playButton.current?.focus({ preventScroll: true })
    wasOpen.current = open
  }, [open])
  return playButton
}

/** The chapters of the teaching of the page; a press plays from there. */
export const TeachingChapters = ({ teaching }: TeachingListenProps) => (
  <WithChapters teaching={teaching} of="list" />
)

function WithChapters({ teaching, of }: TeachingListenProps & { of: 'list' | 'skip' }) {
  const player = usePlayer()
  const recording = playableOf(teaching)
  if (!teaching.chapters || !recording) return null
  const { uid, chapters: text } = teaching
  const onPlay = (seconds: number) => player?.playFrom(playableOf(teaching) ?? recording, seconds)
  const shared = { player, uid, text, onPlay }
  return of === 'list' ? (
    <div className="max-w-3xl">
      <PlayerChapters {...shared} level="h2" />
    </div>
  ) : (
    <div className="w-fit">
      <PlayerSkip {...shared} />
    </div>
  )
}

/** The notes about the teaching of the page. */
export function TeachingNotes({ teaching }: TeachingListenProps) {
  const player = usePlayer()
  const recording = playableOf(teaching)
  // The server has no player, and a late hydration finds one.
  const hydrated = useHydrated()
  if (!hydrated || !player || !recording) return null
  return (
    <div className="max-w-3xl print:hidden">
      <NotesPart
        uid={teaching.uid}
        level="h2"
        now={() => momentOf(player, teaching.uid)}
        onPlay={(seconds) => player.playFrom(playableOf(teaching) ?? recording, seconds)}
      />
    </div>
  )
}

const TextEditor = lazyPart(() => import('../features/transcripts/text-editor.tsx'), 'TextEditor', asDialog)

/** For signed-in people: corrects the text of the teaching, and approves it. */
export function TextTool({ teaching }: TeachingListenProps) {
  const { user } = useAuth()
  const player = usePlayer()
  const hydrated = useHydrated()
  const [isOpen, setOpen] = useState(false)
  const recording = playableOf(teaching)
  if (!hydrated || !user || !player || !recording || !isInLibrary(teaching)) return null
  return (
    <>
      <Button kind="quiet" icon={BookOpenText} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {teaching.transcriptRev === null ? 'Add or check the text' : 'Correct the text'}
      </Button>
      {isOpen && (
        <TextEditor
          teaching={teaching}
          title={shownTitle(teaching)}
          userId={user.id}
          player={player}
          onPlay={(seconds) => player.playFrom(playableOf(teaching) ?? recording, seconds)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

interface TeachingTextProps extends TeachingListenProps {
  first: readonly Paragraph[] | undefined
}

/** What was said in the teaching of the page. */
export function TeachingText({ teaching, first }: TeachingTextProps) {
  const player = usePlayer()
  const recording = playableOf(teaching)
  const hydrated = useHydrated()
  const play = (seconds: number) => player?.playFrom(playableOf(teaching) ?? recording!, seconds)
  return (
    <SaidText teaching={teaching} first={first} onPlay={hydrated && player && recording ? play : undefined} />
  )
}

/** On a phone the sheet has them. */
function Tools({ teaching }: { teaching: Teaching }) {
  const [failed, setFailed] = useState(false)
  if (failed) return null
  return (
    <div className="flex max-sm:hidden">
      <RowTools teaching={teaching} onChange={openChange} onFailed={() => setFailed(true)} />
    </div>
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
