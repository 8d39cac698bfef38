import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { preloadReplica, whenIdle } from '../../boot/phases.ts'
import { firstElders } from '../../boot/first-data.ts'
import { listen } from '../../lib/listen.ts'
import { runWhenLoaded } from '../../lib/run-when-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ScriptureText } from '../passages/scripture-text.tsx'
import { ElderPicture } from './elder-picture.tsx'
import type { Elders } from './elders.device.ts'
import { elderPlaceholders, elderScrollTimings as timings } from '../../ui/timings.ts'

/** The elders on Home, three to a row; refetched on mount and on window focus. */
export function ElderGrid() {
  return (
    <ElderList
      className="grid gap-5 sm:grid-cols-3 lg:gap-8"
      refetchOnFocus
      placeholder={
        <div className="flex gap-5 rounded-card border border-line bg-raised p-4 sm:flex-col sm:gap-0 sm:p-0">
          <Skeleton className="aspect-4/5 w-[min(7rem,35vw)] shrink-0 sm:w-full sm:rounded-b-none!" />
          <div className="grow sm:p-6">
            <Skeleton className="h-7 w-3/5" />
            <Skeleton className="mt-3 h-20 w-full" />
            <Skeleton className="mt-4 h-6 w-28" />
          </div>
        </div>
      }
      card={(elder) => <ElderCard elder={elder} />}
    />
  )
}

export function ElderBlocks() {
  return (
    <ElderList
      className="grid gap-6 lg:gap-8"
      placeholder={
        <div className="grid gap-6 rounded-card border border-line bg-raised p-5 sm:grid-cols-[14rem_minmax(0,1fr)] sm:gap-8 sm:p-6 lg:grid-cols-[18rem_minmax(0,1fr)] lg:gap-12">
          <Skeleton className="aspect-4/5 w-full" />
          <div>
            <Skeleton className="h-8 w-2/5" />
            <Skeleton className="mt-2 h-6 w-1/5" />
            <Skeleton className="mt-5 h-32 w-full" />
          </div>
        </div>
      }
      card={(elder) => <ElderBlock elder={elder} />}
    />
  )
}

interface ElderListProps {
  className: string
  /** Rendered three times while the elders load. */
  placeholder: ReactNode
  card: (elder: Elder) => ReactNode
  refetchOnFocus?: boolean
}

function ElderList({ className, placeholder, card, refetchOnFocus = false }: ElderListProps) {
  const { elders, retry } = useElders({ refetchOnFocus })
  if (elders.status === 'failed') {
    return (
      <div role="alert" className="flex flex-wrap items-center gap-4">
        <p>{elders.sentence}</p>
        <Button kind="secondary" onClick={retry}>
          Try again
        </Button>
      </div>
    )
  }
  if (elders.status === 'loading') {
    return (
      <div className={className}>
        <output className="sr-only">Loading the elders</output>
        {Array.from({ length: elderPlaceholders }, (_, at) => (
          <div key={at} data-placeholder="">
            {placeholder}
          </div>
        ))}
      </div>
    )
  }
  if (elders.rows.length === 0) return <p className="text-lead text-soft">{elderTexts.none}</p>
  return (
    <ul className={className}>
      {elders.rows.map((elder) => (
        <li key={elder.uid}>{card(elder)}</li>
      ))}
    </ul>
  )
}

/** An elder on Home: name and short bio. The whole card links to the elder on About. */
function ElderCard({ elder }: { elder: Elder }) {
  return (
    <article id={homeAnchor(elder.name)} className="h-full scroll-my-4">
      <Link
        to="/about"
        onClick={() => scrollToBlock(elder.name)}
        className="group flex h-full flex-wrap gap-5 rounded-card border border-line bg-raised p-4 shadow-soft transition-colors hover:border-pine sm:flex-col sm:flex-nowrap sm:gap-0 sm:p-0"
      >
        <div className="w-[min(7rem,35vw)] shrink-0 sm:w-full">
          <ElderPicture elder={elder} sizes={cardSizes} className="sm:rounded-b-none" />
        </div>
        <div className="flex min-w-0 grow basis-18 flex-col wrap-anywhere sm:basis-auto sm:p-6">
          <h3 className="text-xl">{elder.name}</h3>
          <p className="mt-2 line-clamp-4 text-soft sm:line-clamp-none">{elder.shortBio}</p>
          <p className="mt-auto pt-4 font-medium text-pine underline-offset-4 group-hover:underline print:hidden">
            Read more →
          </p>
        </div>
      </Link>
    </article>
  )
}

/** An elder on About: name, role and extended bio. The whole block links back to the card on Home. */
function ElderBlock({ elder }: { elder: Elder }) {
  return (
    <article id={aboutAnchor(elder.name)} className="scroll-my-4">
      <div className="group relative grid gap-6 rounded-card border border-line bg-raised p-5 shadow-soft transition-colors hover:border-pine sm:grid-cols-[14rem_minmax(0,1fr)] sm:gap-8 sm:p-6 lg:grid-cols-[18rem_minmax(0,1fr)] lg:gap-12">
        <ElderPicture elder={elder} sizes={blockSizes} />
        <div className="flex min-w-0 flex-col wrap-anywhere">
          <h3 className="text-2xl">{elder.name}</h3>
          <p className="mt-1 font-medium text-wheat-text">{elder.role}</p>
          <div className="measure mt-4 space-y-5 text-soft">
            {paragraphsOf(elder.extendedBio).map((paragraph, at) => (
              // Stacked above the link that covers the block: a reference opens its passage.
              <p key={at} className="pointer-events-none relative z-10 [&_button]:pointer-events-auto">
                <ScriptureText text={paragraph} />
              </p>
            ))}
          </div>
          <p className="mt-auto pt-6 font-medium text-pine underline-offset-4 group-hover:underline print:hidden">
            <Link to="/" onClick={() => scrollToCard(elder.name)} className="after:absolute after:inset-0">
              <span className="sr-only">{elder.name}: </span>Return to the home page →
            </Link>
          </p>
        </div>
      </div>
    </article>
  )
}

const cardSizes = '(min-width: 64rem) 21rem, (min-width: 40rem) 30vw, 7rem'
const blockSizes = '(min-width: 64rem) 18rem, (min-width: 40rem) 14rem, calc(100vw - 5rem)'

/** A blank line begins a new paragraph. */
const paragraphsOf = (text: string) => text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '')

/** The elders, live, and a retry after a failure. IndexedDB is opened after the first paint. */
function useElders({ refetchOnFocus = false } = {}): { elders: Elders; retry: () => void } {
  const [elders, setElders] = useState<Elders>(initialElders)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let stop: (() => void) | undefined
    // A failure does not replace prerendered elders.
    const update = (next: Elders) =>
      setElders((before) => (next.status === 'failed' && before.status === 'ready' ? before : next))
    const cancel = whenIdle(() => {
      stop = runWhenLoaded(
        async () => {
          await preloadReplica()
          const { watchElders } = await import('./elders.device.ts')
          return () => watchElders(update)
        },
        () => update({ status: 'failed', sentence: elderTexts.fetchFailed }),
      )
    })
    return () => {
      cancel()
      stop?.()
    }
  }, [attempt])
  useEffect(() => {
    if (!refetchOnFocus) return
    const refetch = () => void import('./elders.device.ts').then(({ refreshElders }) => refreshElders())
    return listen(window, ['focus'], refetch)
  }, [refetchOnFocus])
  const retry = useCallback(() => {
    setElders({ status: 'loading' })
    setAttempt((count) => count + 1)
  }, [])
  return { elders, retry }
}

/** The elders of the prerendered page, until the replica has been read. */
function initialElders(): Elders {
  const rows = firstElders()
  return rows ? { status: 'ready', rows } : { status: 'loading' }
}

/** The id of an elder's block on About. The id of the card on Home is the lower-cased name alone. */
const aboutAnchor = (name: string): string => `elder-${name.toLowerCase()}`
const homeAnchor = (name: string): string => name.toLowerCase()

let pending: ReturnType<typeof setTimeout> | undefined

/** From Home: after 100 ms to the elder's block, with retries until it is rendered. */
const scrollToBlock = (name: string): void => scrollTo(aboutAnchor(name), timings.homeToAboutMs)

/** From About: after 200 ms to the elder's card, with up to ten retries every 100 ms. */
const scrollToCard = (name: string): void => scrollTo(homeAnchor(name), timings.aboutToHomeMs)

/** A later click cancels an earlier one. */
function scrollTo(id: string, firstMs: number): void {
  clearTimeout(pending)
  let retries: number = timings.retries
  const attempt = () => {
    const element = document.getElementById(id)
    if (element) return reveal(element)
    if (retries <= 0) return
    retries -= 1
    pending = setTimeout(attempt, timings.retryMs)
  }
  pending = setTimeout(attempt, firstMs)
}

function reveal(element: HTMLElement): void {
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches
  element.scrollIntoView({ behavior: reducedMotion ? 'instant' : 'smooth', block: 'center' })
  // Tab continues from here, and a screen reader announces the elder.
  element.querySelector<HTMLElement>('a')?.focus({ preventScroll: true })
}
