import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { startTransition, useEffect, useState, type ReactNode } from 'react'
import { firstTeachings } from '../../boot/first-data.ts'
import { whenIdle } from '../../boot/phases.ts'
import { Cover } from '../../ui/cover.view.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ScriptureText } from '../passages/scripture-text.tsx'
import { useAuth } from '../auth/auth-context.tsx'
import { TeachingLink } from './teaching-link.view.tsx'
import { useLibrary } from './use-library.view.ts'

/** The newest teachings: undefined until they are read, empty if there are none. */
type Latest = readonly Teaching[] | undefined

/** The newest teachings, and the part that reads them once the page is idle, which renders nothing. */
export function useLatest(): { latest: Latest; reader: ReactNode } {
  const [latest, setLatest] = useState<Latest>(firstTeachings)
  const [idle, setIdle] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setIdle(true))), [])
  return { latest, reader: idle && <Reader onRead={setLatest} /> }
}

function Reader({ onRead }: { onRead: (latest: Latest) => void }): ReactNode {
  const { library } = useLibrary(useAuth().user?.id)
  useEffect(() => {
    if (library.status === 'ready') onRead(library.rows.slice(0, mostRead))
    // If the connection drops before the replica has rows, the prerendered teachings stay.
    if (library.status === 'failed') onRead(firstTeachings() ?? [])
  }, [library, onRead])
  return null
}

/** As many as the server renders. */
const mostRead = 5

interface LatestTeachingProps {
  headingId: string
  latest: Latest
  /** Renders the button that plays a teaching; null if it has no audio. */
  play: (teaching: Teaching) => ReactNode
}

/** The newest teaching, with a link to all. */
export function LatestTeaching({ headingId, latest, play }: LatestTeachingProps) {
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6">
        <h2 id={headingId} className="font-sans text-base font-semibold tracking-normal text-wheat-text">
          Latest teaching
        </h2>
        <Link
          to="/teaching"
          className="inline-flex min-h-11 items-center gap-2 font-medium text-pine hover:underline print:hidden"
        >
          All teaching
          <ArrowRight className="size-4" />
        </Link>
      </div>
      <div className="mt-2 min-h-24 wrap-anywhere">
        <Newest latest={latest} play={play} />
      </div>
    </>
  )
}

function Newest({ latest, play }: Pick<LatestTeachingProps, 'latest' | 'play'>) {
  if (!latest) return <Placeholder />
  const [newest] = latest
  if (newest) return <Summary teaching={newest} play={play} />
  return (
    <p className="measure text-lead">
      What is taught on Sundays is recorded, so that you can listen again at home or on the road.
    </p>
  )
}

function Summary({ teaching, play }: { teaching: Teaching } & Pick<LatestTeachingProps, 'play'>) {
  const { date, speaker, scriptureReference, duration } = teaching
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-5">
      <div className="relative shrink-0">
        <Cover kind="teaching" title={shownTitle(teaching)} sizes="8rem" className="w-24 sm:w-32" />
        <div className="absolute -right-3 -bottom-3">{play(teaching)}</div>
      </div>
      <div className="group relative min-w-0 grow basis-32">
        <p className="font-serif text-xl leading-snug sm:text-2xl lg:text-3xl lg:leading-snug">
          {/* The link covers the whole block; the passage is stacked above it. */}
          <TeachingLink teaching={teaching} className="group-hover:text-pine after:absolute after:inset-0" />
        </p>
        <p className="dotted mt-2 text-soft">
          <span>{formatDate(date)}</span> <span>{speaker}</span>{' '}
          {duration && <span className="tabular-nums">{duration}</span>}{' '}
          {scriptureReference && (
            <span className="relative">
              <ScriptureText text={scriptureReference} />
            </span>
          )}
        </p>
      </div>
    </div>
  )
}

function Placeholder() {
  return (
    <div className="flex gap-6">
      <Skeleton className="size-24 shrink-0 sm:size-32" />
      <div className="grow">
        <Skeleton className="h-9 w-4/5 max-w-lg" />
        <Skeleton className="mt-3 h-6 w-3/5 max-w-sm" />
      </div>
    </div>
  )
}
