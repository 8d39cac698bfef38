import { whatsNewTexts } from '@fellowship/schema/whats-new/whats-new.texts'
import { isInLibrary, type ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link } from '@tanstack/react-router'
import { HardDrive } from 'lucide-react'
import { useMemo } from 'react'
import { useWhatsNew } from '../features/whats-new/whats-new.ts'
import { useSavedShelf } from '../features/audio/saved/saved.ts'
import { savedRows } from '../features/audio/saved/saved-rows.list.ts'
import type { Library } from '../features/teachings/library.ts'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.list.tsx'
import type { Show } from './use-show.ts'

const none: readonly never[] = []
export const rowsOf = <Row extends ListedTeaching>(library: Library<Row>): readonly Row[] =>
  library.status === 'ready' ? library.rows : none

/** The listed rows: the library, the new teachings, or the saved ones, which are shown even before the library is read. */
export function useListed(library: Library, show: Show) {
  const shelf = useSavedShelf()
  const rows = rowsOf(library)
  const saved = useMemo(() => savedRows(shelf, rows), [shelf, rows])
  const uids = useWhatsNew()
  const fresh = useMemo(() => (uids?.size ? rows.filter(({ uid }) => uids.has(uid)) : none), [uids, rows])
  const listed = useMemo((): Library<ListedTeaching> => {
    if (show === 'all') return library
    if (show === 'saved') return shelf.status === 'unknown' ? loading : { status: 'ready', rows: saved }
    if (library.status !== 'ready') return library
    return uids ? { ...library, rows: fresh } : loading
  }, [show, library, shelf.status, saved, uids, fresh])
  // Saved teachings are listed even if they have left the library.
  const everything = useMemo(
    () => (saved.some(isGone) ? [...rows, ...saved.filter(isGone)] : rows),
    [rows, saved],
  )
  const whole = library.status === 'ready' && !library.partial && shelf.status !== 'unknown'
  return { listed, rows: everything, whole, fresh }
}

const loading: Library<never> = { status: 'loading' }

const isGone = (teaching: ListedTeaching): boolean => !isInLibrary(teaching)

/** The heading and the empty state of a part of the library; undefined for all of it. */
export const partOf = (show: Show, whole: readonly Teaching[]) =>
  show === 'saved' ? savedPartOf(whole) : show === 'new' ? newPartOf(whole) : undefined

const savedPartOf = (whole: readonly Teaching[]) => ({
  title: 'Saved on this device',
  whole,
  more: moreInAll,
  whenEmpty: (
    <EmptyState title="Nothing is saved on this device yet" picture={HardDrive}>
      Tap “Save offline” beside a teaching while you have signal. It then plays anywhere.
    </EmptyState>
  ),
})

const newPartOf = (whole: readonly Teaching[]) => ({
  title: whatsNewTexts.title,
  whole,
  more: moreInAll,
  whenEmpty: <EmptyState title={whatsNewTexts.none}>{whatsNewTexts.noneHint}</EmptyState>,
})

const moreInAll = (count: number) => (
  <Link
    from="/teaching"
    to="/teaching"
    search={({ q, book, speaker, year }) => ({ q, book, speaker, year, show: 'all' as const })}
    replace
    resetScroll={false}
    className={buttonClass('secondary')}
  >
    {count} more in All teaching
  </Link>
)
