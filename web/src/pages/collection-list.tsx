import { counted } from '@fellowship/schema/counted'
import type { ListedCollection } from '@fellowship/schema/pages/prerender-data'
import { Link } from '@tanstack/react-router'
import { usePageTitle } from '../lib/page-title.view.ts'
import { Skeleton } from '../ui/skeleton.tsx'

interface CollectionListProps {
  title: string
  /** Undefined until they are read. */
  sections: readonly { title?: string; entries: readonly ListedCollection[] }[] | undefined
  /** The sentence shown if there is none. */
  whenEmpty: string
  /** Why they could not be read, which is shown at once. */
  failure: string | undefined
}

export function CollectionList({ title, sections, whenEmpty, failure }: CollectionListProps) {
  usePageTitle(title)
  const isEmpty = sections?.every(({ entries }) => entries.length === 0) ?? failure !== undefined
  return (
    <div className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <p className="text-small print:hidden">
        <Link to="/teaching" className="text-pine underline underline-offset-4">
          All teaching
        </Link>
      </p>
      <h1 className="mt-3 text-title">{title}</h1>
      {isEmpty && <p className="measure text-lead mt-5 text-soft">{failure ?? whenEmpty}</p>}
      {!sections && !isEmpty && <Skeleton className="mt-8 h-9 w-4/5 max-w-lg" />}
      {sections?.map(({ title: part, entries }) => (
        <section key={part ?? ''} aria-label={part ?? title} className="mt-8">
          {part && <h2 className="text-section">{part}</h2>}
          <ul className="mt-4 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {entries.map((entry) => (
              <li key={entry.path} className="min-w-0">
                <Link
                  to="/$"
                  params={{ _splat: entry.path.slice(1) }}
                  className="group flex h-full min-h-16 flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-card border border-line bg-raised px-5 py-3 shadow-soft transition-colors hover:border-pine"
                >
                  <span className="min-w-0 grow basis-[min(100%,9rem)] font-serif text-lg leading-tight wrap-anywhere text-ink group-hover:text-pine">
                    {entry.name}
                  </span>{' '}
                  <span className="text-small whitespace-nowrap text-soft">
                    {counted(entry.count, 'teaching')}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
