import { church } from '@fellowship/schema/church'
import { counted } from '@fellowship/schema/counted'
import { prerenderedRows } from '@fellowship/schema/pages/prerender-data'
import type { CoverKind } from '@fellowship/schema/covers/cover-path'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link, useNavigate } from '@tanstack/react-router'
import { Rss, Share2 } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useAuth, useRoomForMember } from '../features/auth/auth-context.tsx'
import type { OutboxView } from '../features/teachings/library.ts'
import { rowId } from '../features/teachings/teaching-row.tsx'
import { listen } from '../lib/listen.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { useHydrated } from '../lib/use-hydrated.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.view.tsx'
import { Cover } from '../ui/cover.view.tsx'
import { asDialog, lazyPart, optional } from '../ui/lazy-part.tsx'
import { useRows } from './use-rows.list.tsx'

const CollectionActions = lazyPart(
  () => import('../features/audio/up-next/play-collection.tsx'),
  'CollectionActions',
  optional,
)
const PackCollection = lazyPart(
  () => import('../features/audio/saved/save-collection.tsx'),
  'PackCollection',
  optional,
)

interface CollectionPageProps {
  kind: CoverKind
  /** A picture of its own, instead of the drawn cover. */
  imageUrl?: string | null | undefined
  /** Not percent-encoded. */
  path: string
  name: string
  /** A sentence for the shared link. */
  about: string
  /** The part of the page Browse that lists this kind. */
  all: { part: string; label: string }
  /** Its loaded teachings in their order. */
  rows: readonly Teaching[]
  count: number
  outbox: OutboxView
  /** Below the title, such as a description and a picture. */
  children?: ReactNode
}

/** The teachings of one speaker, one book or one series. */
export function CollectionPage(props: CollectionPageProps) {
  const { kind, imageUrl, path, name, about, all, rows, count, children } = props
  usePageTitle(name)
  // If only a part is loaded, saving and packing would be incomplete.
  const whole = useHydrated() && rows.length === count
  return (
    <div className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <p className="text-small print:hidden">
        <Link
          to="/browse"
          hash={all.part}
          className="-my-2 inline-flex min-h-11 items-center text-pine underline underline-offset-4"
        >
          {all.label}
        </Link>
      </p>
      <div className="mt-3 flex flex-wrap gap-x-8 gap-y-5">
        <Cover kind={kind} title={name} imageUrl={imageUrl} sizes="11rem" className="size-44 shadow-soft" />
        <div className="min-w-0 grow basis-64">
          <h1 className="text-title wrap-anywhere">{name}</h1>
          <p className="mt-3 text-soft">{counted(count, 'teaching')}</p>
          {children}
        </div>
      </div>
      <div className="mt-6 flex flex-wrap gap-3 lg:justify-between print:hidden">
        {/* The room is reserved, on a narrow phone of two rows, so that nothing moves when the buttons appear. */}
        {count > 0 && (
          <div className="flex min-h-11 w-full flex-wrap gap-3 max-[24rem]:min-h-25 lg:w-auto">
            {whole && <CollectionActions rows={rows} />}
          </div>
        )}
        <div className="flex flex-wrap gap-3">
          <ShareCollection path={path} name={name} about={about} />
          <a href={encodeURI(`${path}/feed.xml`)} className={buttonClass('secondary')}>
            <Rss className="size-5 shrink-0" />
            Podcast feed
          </a>
        </div>
      </div>
      <Rows {...props} />
      {whole && <PackCollection rows={rows} />}
    </div>
  )
}

function Rows({ kind, name, rows, count, outbox }: CollectionPageProps) {
  // The parts of a series are numbered.
  const List = kind === 'series' ? 'ol' : 'ul'
  const { user } = useAuth()
  const navigate = useNavigate()
  const onManage = useCallback(
    () => void navigate({ to: '/teaching', search: { show: 'saved' } }),
    [navigate],
  )
  const row = useRows({
    signedIn: user !== null,
    roomForMember: useRoomForMember(),
    outbox,
    onManage,
    // If only a part is loaded, only that part would play.
    inOrder: rows.length === count ? rows : undefined,
  })
  const { shown, more } = usePages(rows)
  return (
    <section aria-labelledby="its-teaching" className="mt-8">
      <h2 id="its-teaching" className="sr-only">
        {`Teaching: ${name}`}
      </h2>
      <Card className="overflow-hidden max-sm:-mx-3">
        <List>
          {shown.map((teaching) => (
            <Row key={teaching.uid} teaching={teaching} row={row} />
          ))}
        </List>
        {shown.length < count && (
          <div className="border-t border-line p-4 text-center print:hidden">
            <Button kind="quiet" onClick={more}>
              Load More Teaching
            </Button>
          </div>
        )}
      </Card>
    </section>
  )
}

/** The number of printed rows, as paper has no "more" button: a whole series, and some pages of a speaker. */
const printedRows = seriesLimits.teachings

/** Shows as many rows as the server renders, the same number more at each press, and all when printing. */
function usePages(rows: readonly Teaching[]) {
  const [count, setCount] = useState(prerenderedRows)
  useEffect(() => {
    // The browser prints the page as it is when this returns.
    const showAll = () => flushSync(() => setCount((shown) => Math.max(shown, printedRows)))
    return listen(window, ['beforeprint'], showAll)
  }, [])
  const firstNew = useRef<Teaching>(undefined)
  useEffect(() => {
    // The button may have disappeared, so the focus moves to the first new row.
    if (firstNew.current) document.getElementById(rowId(firstNew.current))?.focus({ preventScroll: true })
  }, [count])
  return {
    shown: useMemo(() => rows.slice(0, count), [rows, count]),
    more: () => {
      firstNew.current = rows[count]
      setCount(count + prerenderedRows)
    },
  }
}

function Row({ teaching, row }: { teaching: Teaching; row: (teaching: Teaching) => ReactNode }) {
  return useMemo(() => row(teaching), [teaching, row])
}

const ShareSheet = lazyPart(() => import('../features/teachings/share-sheet.tsx'), 'ShareSheet', asDialog)

interface ShareCollectionProps {
  /** The path of its page, not percent-encoded. */
  path: string
  name: string
  /** A sentence for the message. */
  about: string
}

/** Shares the page of a collection by the system's share sheet, a link, a QR code, or a printed slip. */
function ShareCollection({ path, name, about }: ShareCollectionProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon={Share2} kind="secondary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Share
      </Button>
      {open && (
        <ShareSheet
          heading="Share this page"
          description={`${name}, ${church().name}`}
          title={name}
          message={about}
          slip={[about]}
          link={window.location.origin + encodeURI(path)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
