import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { ArrowRight, Pause, Play } from 'lucide-react'
import { startTransition, useEffect, useState } from 'react'
import { firstTeachings } from '../../boot/prerender-data.ts'
import { whenIdle } from '../../boot/when-idle.ts'
import { classNames } from '../../lib/class-names.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { isSounding, type Recording } from '../audio/player/player-state.ts'
import { recordingOf } from '../audio/player/recording-of.ts'
import { usePlayer, usePlayerState } from '../audio/player/use-player.ts'
import { ScriptureText } from '../passages/scripture-text.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { useLibrary } from './use-library.ts'

/** The newest teaching, with a link to all. It is read once the page is idle. */
export function LatestTeaching({ headingId }: { headingId: string }) {
  const [idle, setIdle] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setIdle(true))), [])
  return (
    <div className="grid items-end gap-8 border-t-2 border-wheat pt-8 lg:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0 wrap-anywhere">
        <h2 id={headingId} className="font-sans text-base font-semibold tracking-normal text-wheat-text">
          Latest teaching
        </h2>
        <div className="mt-3 min-h-24">{idle ? <Newest /> : <Prerendered />}</div>
      </div>
      <Link to="/teaching" className={buttonClass('secondary', 'justify-self-start')}>
        All teaching
        <ArrowRight aria-hidden="true" className="size-4" />
      </Link>
    </div>
  )
}

function Prerendered() {
  const [newest] = firstTeachings() ?? []
  return newest ? <Summary teaching={newest} /> : <Placeholder />
}

function Newest() {
  const { library } = useLibrary(useAuth().user?.id)
  if (library.status === 'loading') return <Placeholder />
  // The prerendered one stays where the connection is lost before the replica has any.
  const [newest] = library.status === 'ready' ? library.rows : (firstTeachings() ?? [])
  if (!newest) {
    return (
      <p className="measure text-lead">
        What is taught on Sundays is recorded, so that you can listen again at home or on the road.
      </p>
    )
  }
  return <Summary teaching={newest} />
}

function Summary({ teaching }: { teaching: Teaching }) {
  const { uid, date, speaker, scriptureReference, duration } = teaching
  const recording = recordingOf(teaching)
  return (
    <div className="flex gap-4 sm:gap-5">
      {recording && <PlayNewest recording={recording} />}
      <div className="group relative min-w-0 grow">
        <p className="font-serif text-2xl leading-snug lg:text-3xl lg:leading-snug">
          {/* The link covers the whole block; the passage is stacked above it. */}
          <Link
            to="/teaching"
            search={{ t: uid }}
            className="group-hover:text-pine after:absolute after:inset-0"
          >
            {shownTitle(teaching)}
          </Link>
        </p>
        <p className="mt-2 text-soft">
          {formatDate(date)} · {speaker}
          {duration && <span className="tabular-nums"> · {duration}</span>}
          {scriptureReference && (
            <>
              {' · '}
              <span className="relative">
                <ScriptureText text={scriptureReference} />
              </span>
            </>
          )}
        </p>
      </div>
    </div>
  )
}

/** Plays at once: the bar at the bottom edge has the controls. */
function PlayNewest({ recording }: { recording: Recording }) {
  const player = usePlayer()
  const isOpen = usePlayerState(player, (state) => state.recording?.uid === recording.uid)
  const status = usePlayerState(player, (state) => state.status)
  const sounding = isOpen === true && isSounding(status)
  const press = () => {
    if (!isOpen) player?.toggle(recording)
    else if (sounding) player?.pause()
    else player?.play()
  }
  const Icon = sounding ? Pause : Play
  return (
    <button
      type="button"
      aria-label={`${sounding ? 'Pause' : 'Play'} ${recording.title}`}
      onClick={press}
      className="inline-flex size-14 shrink-0 items-center justify-center rounded-full bg-pine text-on-pine shadow-soft transition-colors hover:bg-pine-strong forced-colors:border"
    >
      <Icon aria-hidden="true" className={classNames('size-6 fill-current', !sounding && 'ml-0.5')} />
    </button>
  )
}

function Placeholder() {
  return (
    <div className="flex gap-4 sm:gap-5">
      <Skeleton className="size-14 shrink-0 rounded-full!" />
      <div className="grow">
        <Skeleton className="h-9 w-4/5 max-w-lg" />
        <Skeleton className="mt-3 h-6 w-3/5 max-w-sm" />
      </div>
    </div>
  )
}
