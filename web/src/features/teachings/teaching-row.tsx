import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { Play, X } from 'lucide-react'
import { Children, type ReactNode } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { useReducedData } from '../../lib/comfort.ts'
import { fileSize } from '../../lib/file-size.ts'
import { useCannotPlay } from './cannot-play.ts'
import { ScriptureText } from '../passages/scripture-text.tsx'

/** Whether this row is open in the player, and plays. */
export type RowPlayback = 'closed' | 'playing' | 'paused'

interface TeachingRowProps {
  teaching: ListedTeaching
  playback: RowPlayback
  onToggle: () => void
  /** The teaching's entry in the outbox; undecided: in conflict or rejected. */
  outboxState?: 'queued' | 'undecided' | undefined
  /** The title as a link to the page of the teaching; plain text if absent. */
  link?: ReactNode
  /** Shown under the pointer and with the focus, on wide screens. */
  share?: ReactNode
  novelty?: ReactNode
  /** The listening mark, and whether the recording can be played now. */
  mark?: ReactNode
  save?: ReactNode
  /** Edit and delete, for signed-in users on wide screens; their room is reserved while they load. */
  tools?: ReactNode
  /** The button for all actions. */
  more?: ReactNode
  /** The inline player, while it is open. */
  children?: ReactNode
}

/** One teaching. Its play button covers the whole row, so that a tap anywhere plays it. */
export function TeachingRow({
  teaching,
  playback,
  onToggle,
  outboxState,
  link,
  share,
  novelty,
  mark,
  save,
  tools,
  more,
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
        playback !== 'closed' && 'bg-pine-tint/50',
      )}
    >
      <div
        className={classNames(
          'row group relative grid',
          playable && playback === 'closed' && 'hover:bg-pine-tint',
        )}
      >
        <PlayButton title={title} playable={playable} playback={playback} onToggle={onToggle} />
        {novelty}
        <h3 className="text-lg leading-tight sm:text-xl sm:leading-6">
          {/* Stacked above the play button that covers the row. */}
          {link ? <span className="relative z-10">{link}</span> : title}
        </h3>
        {share && <div className="on-hover relative z-10 max-lg:hidden">{share}</div>}
        {save}
        {tools && <div className="relative z-10 flex h-11 w-22 max-sm:hidden">{tools}</div>}
        {more && <div className="relative z-10">{more}</div>}
        {/* On a phone the details are under the whole row, which has room for one line. */}
        <div className="under col-[1/-1] min-w-0 pr-2 sm:col-2">
          <Details teaching={teaching} mark={mark} closed={playback === 'closed'} />
          {outboxState && <p className="mt-1 text-small text-wheat-text">{outboxWords[outboxState]}</p>}
          {!playable && <p className="mt-1 text-small text-wheat-text">{teachingTexts.audioComing}</p>}
          <CannotPlay audioUrl={teaching.audioUrl} />
        </div>
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

function CannotPlay({ audioUrl }: Pick<ListedTeaching, 'audioUrl'>) {
  const kind = useCannotPlay(audioUrl)
  return kind && <p className="mt-1 text-small text-wheat-text">{teachingTexts.cannotPlay(kind)}</p>
}

const outboxWords = {
  queued: 'Changed on this device, not sent yet',
  undecided: 'Your change needs your attention',
}

export const rowId = ({ uid }: Pick<ListedTeaching, 'uid'>): string => `teaching-${uid}`

interface PlayButtonProps {
  title: string
  playable: boolean
  playback: RowPlayback
  onToggle: () => void
}

function PlayButton({ title, playable, playback, onToggle }: PlayButtonProps) {
  const { label, picture } = buttonStates[playback]
  return (
    <button
      type="button"
      disabled={!playable}
      aria-label={`${label} ${title}`}
      aria-expanded={playable ? playback !== 'closed' : undefined}
      onClick={onToggle}
      className={classNames(
        'mr-3 flex size-[min(2.75rem,16vw)] shrink-0 sm:mr-4 sm:size-12 items-center justify-center rounded-full',
        playable
          ? 'forced-colors:border after:absolute after:inset-0 after:cursor-pointer'
          : 'bg-sunk text-soft',
        playable && (playback === 'closed' ? 'bg-pine text-on-pine' : 'bg-pine-tint text-pine'),
      )}
    >
      {picture}
    </button>
  )
}

// Created once: React skips identical elements, and a list has many.
const buttonStates = {
  closed: { label: 'Play', picture: <Play className="ml-0.5 size-5 fill-current" /> },
  // The open player below has the pause button, so this button closes it.
  playing: { label: 'Pause and close', picture: <X className="size-5" /> },
  paused: { label: 'Close', picture: <X className="size-5" /> },
}

interface DetailsProps {
  teaching: ListedTeaching
  mark: ReactNode
  /** On a phone a closed row has one line of details, with a short month. */
  closed: boolean
}

function Details({ teaching, mark, closed }: DetailsProps) {
  const { date, speaker, scriptureReference, duration, audioBytes } = teaching
  const [day, month = '', year = ''] = formatDate(date).split(' ')
  const reduced = useReducedData()
  return (
    <p className="dotted mt-1 text-small wrap-anywhere text-soft sm:mt-0">
      <span className={classNames('dotted', closed && 'one-line')}>
        <time dateTime={date}>
          {`${day} ${month.slice(0, 3)}`}
          <span>{month.slice(3)}</span>
          {` ${year}`}
        </time>{' '}
        <span>{speaker}</span>{' '}
        {duration && (
          // Beside a reference a phone has no room for it; its player shows it.
          <span
            className={classNames(
              'whitespace-nowrap tabular-nums',
              closed && scriptureReference && 'max-sm:hidden',
            )}
          >
            {duration}
          </span>
        )}{' '}
        {scriptureReference && (
          // Stacked above the play button that covers the row: a reference opens its passage.
          <span className="relative z-10">
            <ScriptureText text={scriptureReference} />
          </span>
        )}
      </span>{' '}
      {reduced && audioBytes !== null && <span className="tabular-nums">{fileSize(audioBytes)}</span>} {mark}
    </p>
  )
}
