import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { BookOpen, Pause, Play, X } from 'lucide-react'
import { Children, type ReactNode } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { useReducedData } from '../../lib/comfort.ts'
import { fileSize } from '../../lib/file-size.ts'
import { ScriptureText } from '../passages/scripture-text.tsx'

/** Whether the player has this row open, and plays it. */
export type RowPlayback = 'closed' | 'playing' | 'paused'

interface TeachingRowProps {
  teaching: Teaching
  playback: RowPlayback
  onToggle: () => void
  /** Its entry in the outbox; undecided: in conflict or rejected. */
  outboxState?: 'queued' | 'undecided' | undefined
  /** The share button. */
  share?: ReactNode
  /** The control that saves the audio on this device. */
  save?: ReactNode
  /** Edit and delete, for signed-in users; their room is reserved while they load. */
  tools?: ReactNode
  /** The inline player, while it is open. */
  children?: ReactNode
}

/** One teaching. Its play button covers the whole row, so that a tap anywhere plays it. */
export function TeachingRow({
  teaching,
  playback,
  onToggle,
  outboxState,
  share,
  save,
  tools,
  children,
}: TeachingRowProps) {
  const title = shownTitle(teaching)
  const playable = Boolean(teaching.audioUrl)
  return (
    <li
      id={rowId(teaching)}
      tabIndex={-1}
      className={classNames(
        'border-b border-line -outline-offset-3 last:border-b-0',
        playback !== 'closed' && 'bg-pine-tint/40',
      )}
    >
      <div
        className={classNames(
          'relative flex flex-wrap items-start gap-x-4 px-[min(1rem,5vw)] py-5 sm:px-6',
          // With tools in the same line the title would have no room.
          !tools && 'sm:flex-nowrap',
          playable && 'hover:bg-pine-tint/50',
        )}
      >
        <PlayButton title={title} playable={playable} playback={playback} onToggle={onToggle} />
        <div className={classNames('min-w-0 flex-1', share !== undefined && 'max-sm:pr-8')}>
          <h3 className="text-xl leading-snug">{title}</h3>
          <Details teaching={teaching} />
          {outboxState && <p className="mt-1 text-small text-wheat-text">{outboxWords[outboxState]}</p>}
          {!playable && <p className="mt-1 text-small text-wheat-text">{teachingTexts.audioComing}</p>}
        </div>
        {save && (
          <div
            className={classNames(
              'relative z-10 mt-3 w-full pl-[min(4rem,20vw)] empty:hidden',
              tools ? 'sm:order-last' : 'sm:mt-0.5 sm:w-auto sm:pl-0',
            )}
          >
            {save}
          </div>
        )}
        {share && (
          <div className="z-10 max-sm:absolute max-sm:top-3.5 max-sm:right-1 sm:relative sm:-mx-2 sm:mt-0.5">
            {share}
          </div>
        )}
        {tools && (
          <div className="relative z-10 mt-1 -mb-2 flex min-h-11 w-full justify-end sm:mt-0 sm:-mr-3 sm:mb-0 sm:w-auto sm:min-w-22">
            {tools}
          </div>
        )}
      </div>
      {playback !== 'closed' && teaching.description && (
        <p className="max-w-prose px-[min(1rem,5vw)] pb-4 text-base whitespace-pre-line wrap-anywhere text-soft sm:px-6">
          {teaching.description}
        </p>
      )}
      {Children.toArray(children).length > 0 && (
        <div className="px-[min(1rem,5vw)] pb-5 sm:px-6">{children}</div>
      )}
    </li>
  )
}

const outboxWords = {
  queued: 'Changed on this device, not sent yet',
  undecided: 'Your change needs your attention',
}

/** The id of the row's element. */
export const rowId = ({ uid }: Pick<Teaching, 'uid'>): string => `teaching-${uid}`

interface PlayButtonProps {
  title: string
  playable: boolean
  playback: RowPlayback
  onToggle: () => void
}

function PlayButton({ title, playable, playback, onToggle }: PlayButtonProps) {
  const { label, picture } = faces[playback]
  return (
    <button
      type="button"
      disabled={!playable}
      aria-label={`${label} ${title}`}
      aria-expanded={playable ? playback !== 'closed' : undefined}
      onClick={onToggle}
      className={classNames(
        'flex size-[min(3rem,16vw)] shrink-0 items-center justify-center rounded-full',
        playable
          ? 'bg-pine text-on-pine forced-colors:border after:absolute after:inset-0 after:cursor-pointer'
          : 'bg-sunk text-soft',
      )}
    >
      {picture}
    </button>
  )
}

// Created once: React skips identical elements, and a list has many.
const faces = {
  closed: { label: 'Play', picture: <Play aria-hidden="true" className="ml-0.5 size-5 fill-current" /> },
  playing: {
    label: 'Pause and close',
    picture: <Pause aria-hidden="true" className="size-5 fill-current" />,
  },
  paused: { label: 'Close', picture: <X aria-hidden="true" className="size-5" /> },
}
const book = <BookOpen aria-hidden="true" className="size-4 text-wheat-text" />

function Details({ teaching }: { teaching: Teaching }) {
  const { date, speaker, scriptureReference, duration, audioBytes } = teaching
  const reduced = useReducedData()
  return (
    <p className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-small wrap-anywhere text-soft">
      <time dateTime={date}>{formatDate(date)}</time>
      <span>{speaker}</span>
      {scriptureReference && (
        <span className="inline-flex items-center gap-1.5">
          {book}
          {/* Stacked above the play button that covers the row: a reference opens its passage. */}
          <span className="relative z-10">
            <ScriptureText text={scriptureReference} />
          </span>
        </span>
      )}
      {duration && <span className="tabular-nums">{duration}</span>}
      {reduced && audioBytes !== null && <span className="tabular-nums">{fileSize(audioBytes)}</span>}
    </p>
  )
}
