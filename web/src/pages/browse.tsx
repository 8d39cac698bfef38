import { counted } from '@fellowship/schema/counted'
import { browsePath } from '@fellowship/schema/pages/places'
import type { ListedCollection } from '@fellowship/schema/pages/prerender-data'
import { seriesListPath, seriesPath, teachingsOf } from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { testamentOf } from '@fellowship/schema/teachings/teaching-facets'
import { groupKinds, groupsOfKind } from '@fellowship/schema/teachings/teaching-groups'
import { groupTexts } from '@fellowship/schema/teachings/teachings.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useDeferredValue, useMemo } from 'react'
import { firstPartOf } from '../boot/first-data.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useSeries } from '../features/series/use-series.list.ts'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { classNames } from '../lib/class-names.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { Button } from '../ui/button.tsx'
import { Cover } from '../ui/cover.view.tsx'
import { openHeld } from '../ui/held-dialog.ts'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

const SeriesForm = lazyPart(() => import('./series-forms.tsx'), 'SeriesForm', asDialog)

/** All series, speakers and books: as the server rendered them, then from the replica. Signed-in users create series. */
export function Browse() {
  usePageTitle('Browse')
  const { user } = useAuth()
  const { library } = useLibrary(user?.id)
  const whole = library.status === 'ready' && !library.partial ? library.rows : undefined
  // Deferred until the page is painted, as there may be thousands of teachings to group.
  const rows = useDeferredValue(whole)
  const all = useSeries(user?.id)
  const read = useMemo(() => all && rows && entriesOf(all, rows), [all, rows])
  const entries = read ?? firstPartOf(browsePath)?.groups
  const failure = library.status === 'failed' ? library.sentence : undefined
  const under = (path: string) => entries?.filter((entry) => entry.path.startsWith(`${path}/`))
  const books = under('/books')
  return (
    <div className="page pt-0 pb-20 sm:pt-6 lg:pb-28">
      <h1 className="text-title">Browse</h1>
      <nav aria-label="Parts of this page" className="mt-1 flex flex-wrap gap-x-6 print:hidden">
        {parts.map(({ id, title }) => (
          <a
            key={id}
            href={`#${id}`}
            className="inline-flex min-h-11 items-center text-pine underline underline-offset-4"
          >
            {title}
          </a>
        ))}
      </nav>
      <Part id="series" title={seriesTexts.all} action={user && <NewSeries />}>
        <Entries
          entries={under(seriesListPath)}
          whenEmpty={seriesTexts.none}
          covers="series"
          failure={failure}
        />
      </Part>
      <Part id="speakers" title={groupTexts.speakers.all}>
        <Entries
          entries={under('/speakers')}
          whenEmpty={groupTexts.speakers.none}
          covers="speakers"
          failure={failure}
        />
      </Part>
      <Part id="books" title={groupTexts.books.all}>
        {books?.length ? (
          (['Old', 'New'] as const).map((testament) => (
            <Testament
              key={testament}
              title={`${testament} Testament`}
              books={books.filter(({ name }) => testamentOf(name) === testament)}
            />
          ))
        ) : (
          <Entries entries={books} whenEmpty={groupTexts.books.none} failure={failure} />
        )}
      </Part>
    </div>
  )
}

const parts = [
  { id: 'series', title: seriesTexts.all },
  ...groupKinds.map((kind) => ({ id: kind, title: groupTexts[kind].all })),
]

interface PartProps {
  /** In the address after the hash. */
  id: string
  title: string
  action?: ReactNode
  children: ReactNode
}

function Part({ id, title, action, children }: PartProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="mt-8 scroll-my-4 lg:mt-12">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id={`${id}-title`} className="text-section">
          {title}
        </h2>
        {action}
      </div>
      {children}
    </section>
  )
}

function Testament({ title, books }: { title: string; books: readonly ListedCollection[] }) {
  if (books.length === 0) return null
  return (
    <>
      <h3 className="mt-5 font-sans text-small font-semibold tracking-normal text-wheat-text">{title}</h3>
      <Entries entries={books} />
    </>
  )
}

interface EntriesProps {
  /** Undefined until they are read. */
  entries: readonly ListedCollection[] | undefined
  whenEmpty?: string
  /** Without them an entry is lower: there may be 66 books, whose names are sought. */
  covers?: 'series' | 'speakers'
  /** The reason if they could not be read, which is shown at once. */
  failure?: string | undefined
}

function Entries({ entries, whenEmpty, failure, covers }: EntriesProps) {
  if (!entries?.length) {
    const sentence = failure ?? (entries && whenEmpty)
    return sentence ? (
      <p className="measure mt-3 text-soft">{sentence}</p>
    ) : (
      <Skeleton className="mt-4 h-9 w-4/5 max-w-lg" />
    )
  }
  return (
    <ul className={classNames('mt-4 grid gap-3 sm:grid-cols-2 lg:grid-cols-3', !covers && 'books')}>
      {entries.map((entry) => (
        <li key={entry.path} className="min-w-0">
          <Link
            to="/$"
            params={{ _splat: entry.path.slice(1) }}
            className="group flex h-full min-h-13 flex-wrap items-center gap-x-4 rounded-card border border-line bg-raised px-4 py-2 transition-colors hover:border-pine"
          >
            {covers && (
              <Cover
                kind={covers}
                title={entry.name}
                imageUrl={entry.imageUrl}
                sizes="5rem"
                className={classNames('-ml-2', covers === 'series' ? 'h-20' : 'size-13')}
              />
            )}
            <span
              className={classNames(
                'min-w-0 grow gap-x-4',
                // Large words go under the cover.
                covers ? 'basis-32' : 'flex flex-wrap items-center justify-between',
              )}
            >
              <span className="block min-w-0 font-serif text-lg leading-tight wrap-anywhere text-ink group-hover:text-pine">
                {entry.name}
              </span>{' '}
              <span className="text-small whitespace-nowrap text-soft">
                {counted(entry.count, 'teaching')}
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

function NewSeries() {
  const navigate = useNavigate()
  const begin = () =>
    openHeld(SeriesForm, {
      series: undefined,
      onSaved: (uid) => void navigate({ href: seriesPath({ slug: uid }) }),
    })
  return (
    <Button icon={Plus} kind="secondary" aria-haspopup="dialog" onClick={begin}>
      New series
    </Button>
  )
}

/** Each with the number of its teachings that are in the library. */
function entriesOf(all: readonly Series[], rows: readonly Teaching[]): ListedCollection[] {
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return [
    ...all.map((series) => ({
      path: `${seriesListPath}/${series.slug}`,
      name: series.title,
      count: teachingsOf(series, byUid).length,
      imageUrl: series.imageUrl,
    })),
    ...groupKinds.flatMap((kind) => groupsOfKind(kind, rows)),
  ]
}
