import { formatDate } from '@fellowship/schema/dates'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { DialogPanel, DialogTitle } from '@headlessui/react'
import { BookOpenText, ChevronDown, ListMusic, X } from 'lucide-react'
import {
  type ComponentProps,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { runWhenLoaded } from '../../../lib/run-when-loaded.ts'
import { readStored, store } from '../../../lib/site-storage.ts'
import { Button } from '../../../ui/button.tsx'
import { Cover } from '../../../ui/cover.view.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { Modal } from '../../../ui/modal.tsx'
import { HandoutList } from '../../handouts/handout-list.tsx'
import { FavouriteButton } from '../../listening/favourite-button.tsx'
import { NotesPart } from '../../listening/notes-part.tsx'
import { ScriptureText } from '../../passages/scripture-text.tsx'
import { DownloadButton } from '../saved/download-button.tsx'
import { SaveControl } from '../saved/save-control.tsx'
import { UpNextPart } from '../up-next/up-next-part.tsx'
import { PlaybackNotes } from './playback-notes.tsx'
import { PlayerChapters, PlayerSkip } from './player-chapters.tsx'
import { PlayPause, Skip } from './player-controls.tsx'
import { type Player, skipBackSeconds, skipForwardSeconds } from './player-state.ts'
import { PositionSlider } from './position-slider.tsx'
import { SleepSelect } from './sleep-select.tsx'
import { SpeedSelect } from './speed-select.tsx'
import { usePicture } from './use-picture.ts'
import { usePlayerState } from './use-player.ts'
import './full-player.css'

const ReadAlong = lazyPart(() => import('../../transcripts/read-along.tsx'), 'ReadAlong')

interface FullPlayerProps {
  player: Player
  share: (teaching: Teaching, momentOf: () => number) => ReactNode
  onClose: () => void
  /** Leads to the page of the teaching. */
  onShow: () => void
  onManage: () => void
}

/** The open teaching on the whole screen, with large controls. A swipe down, Escape and the arrow lead back. */
export function FullPlayer({ player, share, onClose, onShow, onManage }: FullPlayerProps) {
  const recording = player.state().recording
  const status = usePlayerState(player, (state) => state.status)
  const teaching = useTeaching(recording?.uid)
  const picture = usePicture(recording?.soundUrl)
  const panel = useRef<HTMLDivElement>(null)
  const swipe = useSwipeDown(panel, onClose)
  const leave = (then: () => void) => {
    onClose()
    then()
  }
  const playFrom = (seconds: number) => seekAndPlay(player, seconds)
  if (!recording) return null
  return (
    <Modal onClose={onClose}>
      <DialogPanel
        ref={panel}
        className="fixed inset-0 flex animate-rise flex-col overflow-y-auto overscroll-contain bg-paper"
      >
        <div {...swipe} className="full-player-handle">
          <div className="page flex items-center justify-between">
            <IconButton label="Close the large player" onClick={onClose} className="-ml-2 text-ink">
              <ChevronDown className="size-7" />
            </IconButton>
            <p className="text-small font-medium text-soft">Now playing</p>
            <IconButton
              label="Stop and close the player"
              onClick={() => leave(player.close)}
              className="-mr-2"
            >
              <X className="size-6" />
            </IconButton>
          </div>
          <Cover
            kind="teaching"
            title={recording.title}
            sizes="20rem"
            className="full-player-artwork mx-auto mt-2 shadow-soft"
          />
        </div>
        <div className="mx-auto flex w-full max-w-lg full-player grow flex-col">
          <DialogTitle className="mt-5 text-center font-serif text-2xl leading-snug wrap-anywhere">
            {recording.title}
          </DialogTitle>
          <p className="mt-1 text-center text-soft wrap-anywhere">{recording.speaker}</p>
          <p className="min-h-6 text-center text-small text-soft">
            {teaching && formatDate(teaching.date)}
            {teaching?.scriptureReference && (
              <>
                {' · '}
                <ScriptureText text={teaching.scriptureReference} />
              </>
            )}
          </p>
          <div className="mt-4">
            <PositionSlider player={player} below behind={picture} />
          </div>
          <div className="full-player-controls mt-3 flex items-center justify-center gap-6">
            <Skip player={player} seconds={-skipBackSeconds} />
            <PlayPause player={player} status={status} />
            <Skip player={player} seconds={skipForwardSeconds} />
          </div>
          <PlayerSkip player={player} uid={recording.uid} text={teaching?.chapters} onPlay={playFrom} />
          <Choices player={player}>
            {teaching && <SaveControl teaching={teaching} onManage={() => leave(onManage)} />}
            <FavouriteButton uid={recording.uid} title={recording.title} />
            {teaching && share(teaching, () => player.state().position)}
          </Choices>
          <div className="flex flex-col items-center">
            <PlaybackNotes player={player} />
          </div>
          <PlayerChapters player={player} uid={recording.uid} text={teaching?.chapters} onPlay={playFrom} />
          <HandoutList handouts={teaching?.handouts} level="h3" />
          <TextPart teaching={teaching} player={player} onPlay={playFrom} />
          <UpNextPart player={player} />
          <NotesPart
            key={recording.uid}
            uid={recording.uid}
            now={() => player.state().position}
            onPlay={playFrom}
          />
          <Description text={teaching?.description} />
          <div className="mt-6 flex flex-wrap justify-center gap-3">
            <DownloadButton recording={recording} />
            <Button icon={ListMusic} kind="quiet" onClick={() => leave(onShow)}>
              About this teaching
            </Button>
          </div>
        </div>
      </DialogPanel>
    </Modal>
  )
}

function Description({ text }: { text: string | null | undefined }) {
  if (!text) return null
  return (
    <p className="mt-6 border-t border-line pt-5 text-base whitespace-pre-line wrap-anywhere text-soft">
      <ScriptureText text={text} />
    </p>
  )
}

function seekAndPlay(player: Player, seconds: number): void {
  player.seek(seconds)
  player.play()
}

interface TextPartProps extends Omit<ComponentProps<typeof ReadAlong>, 'teaching'> {
  teaching: Teaching | undefined
}

/** The text of the teaching, opened by a press; the choice stays for the next one. */
function TextPart({ teaching, ...props }: TextPartProps) {
  const [isOpen, setOpen] = useState(() => readStored(textPlace) === true)
  const toggle = () => {
    setOpen(!isOpen)
    store(textPlace, !isOpen)
  }
  if (typeof teaching?.transcriptRev !== 'number') return null
  return (
    <>
      <p className="mt-4 text-center">
        <Button icon={BookOpenText} kind="quiet" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? 'Close the text' : 'Read along'}
        </Button>
      </p>
      {isOpen && <ReadAlong teaching={teaching} {...props} />}
    </>
  )
}

const textPlace = 'read-along'

/** Speed, sleep timer and the actions of the teaching: two whole lines if a phone has no room for one, as with two sizes to save. */
function Choices({ player, children }: { player: Player; children: ReactNode }) {
  return (
    <div className="mt-6 flex flex-wrap items-center justify-center gap-x-0.5 gap-y-2 sm:gap-x-2">
      <div className="flex w-max max-w-full flex-wrap justify-center gap-x-0.5 gap-y-2 sm:gap-x-2">
        <SpeedSelect player={player} />
        <SleepSelect player={player} />
      </div>
      <div className="flex w-max max-w-full flex-wrap items-center justify-center gap-x-0.5 sm:gap-x-2">
        {children}
      </div>
    </div>
  )
}

/** The whole teaching, for the fields that the player lacks; undefined until it was read, or if it was deleted. */
function useTeaching(uid: string | undefined): Teaching | undefined {
  const [teaching, setTeaching] = useState<Teaching>()
  // If it cannot be read, the player works without it.
  useEffect(
    () =>
      runWhenLoaded(async () => {
        const { appDatabase } = await import('@fellowship/sync/client/database/app-database')
        const found = uid === undefined ? undefined : await appDatabase().teachings.get(uid)
        return () => setTeaching(found)
      }),
    [uid],
  )
  return teaching?.uid === uid ? teaching : undefined
}

/** Pixels after which a swipe counts. */
const enough = 80

/** The events of the part that is swiped; it needs `touch-action: none`. */
interface SwipeHandle {
  onPointerDown: (event: PointerEvent) => void
  onPointerMove: (event: PointerEvent) => void
  onPointerUp: () => void
  onPointerCancel: () => void
}

/**
 * Calls back after a swipe downwards by a finger or a pen.
 *
 * @param panel follows the finger
 */
function useSwipeDown(panel: RefObject<HTMLElement | null>, onSwiped: () => void): SwipeHandle {
  const from = useRef<number>(undefined)
  const by = useRef(0)
  const move = (pixels: number) => {
    by.current = pixels
    panel.current?.style.setProperty('transform', pixels > 0 ? `translateY(${pixels}px)` : '')
  }
  const end = (isCancelled: boolean) => {
    const swiped = from.current !== undefined && by.current >= enough && !isCancelled
    from.current = undefined
    move(0)
    if (swiped) onSwiped()
  }
  return {
    onPointerDown: ({ pointerType, clientY }) => {
      if (pointerType !== 'mouse') from.current = clientY
    },
    onPointerMove: ({ clientY }) => {
      if (from.current !== undefined) move(Math.max(0, clientY - from.current))
    },
    onPointerUp: () => end(false),
    onPointerCancel: () => end(true),
  }
}
