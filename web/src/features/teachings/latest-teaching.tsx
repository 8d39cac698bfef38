import { formatDate } from '@fellowship/schema/dates'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { startTransition, useEffect, useState, type ReactNode } from 'react'
import { firstTeachings } from '../../boot/first-data.ts'
import { whenIdle } from '../../boot/phases.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ScriptureText } from '../passages/scripture-text.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { TeachingLink } from './teaching-link.view.tsx'
import { useLibrary } from './use-library.view.ts'

/** Renders the button that plays a teaching; null if it has no audio. */
type PlayButton = (teaching: Teaching) => ReactNode

/** The newest teaching, with a link to all. It is read once the page is idle. */
export function LatestTeaching({ headingId, play }: { headingId: string; play: PlayButton }) {
  const [idle, setIdle] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setIdle(true))), [])
  return (
    <div className="grid items-end gap-8 border-t-2 border-wheat pt-8 lg:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0 wrap-anywhere">
        <h2 id={headingId} className="font-sans text-base font-semibold tracking-normal text-wheat-text">
          Latest teaching
        </h2>
        <div className="mt-3 min-h-24">{idle ? <Newest play={play} /> : <Prerendered play={play} />}</div>
      </div>
      <Link to="/teaching" className={buttonClass('secondary', 'justify-self-start')}>
        All teaching
        <ArrowRight className="size-4" />
      </Link>
    </div>
  )
}

function Prerendered({ play }: { play: PlayButton }) {
  const [newest] = firstTeachings() ?? []
  return newest ? <Summary teaching={newest} play={play} /> : <Placeholder />
}

function Newest({ play }: { play: PlayButton }) {
  const { library } = useLibrary(useAuth().user?.id)
  if (library.status === 'loading') return <Placeholder />
  // If the connection drops before the replica has rows, the prerendered teaching stays.
  const [newest] = library.status === 'ready' ? library.rows : (firstTeachings() ?? [])
  if (!newest) {
    return (
      <p className="measure text-lead">
        What is taught on Sundays is recorded, so that you can listen again at home or on the road.
      </p>
    )
  }
  return <Summary teaching={newest} play={play} />
}

function Summary({ teaching, play }: { teaching: Teaching; play: PlayButton }) {
  const { date, speaker, scriptureReference, duration } = teaching
  return (
    <div className="flex flex-wrap gap-4 sm:gap-5">
      {play(teaching)}
      <div className="group relative min-w-0 grow basis-32">
        <p className="font-serif text-2xl leading-snug lg:text-3xl lg:leading-snug">
          {/* The link covers the whole block; the passage is stacked above it. */}
          <TeachingLink teaching={teaching} className="group-hover:text-pine after:absolute after:inset-0" />
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

function Placeholder() {
  return (
    <div className="flex gap-4 sm:gap-5">
      <Skeleton className="size-13 shrink-0 rounded-full!" />
      <div className="grow">
        <Skeleton className="h-9 w-4/5 max-w-lg" />
        <Skeleton className="mt-3 h-6 w-3/5 max-w-sm" />
      </div>
    </div>
  )
}
