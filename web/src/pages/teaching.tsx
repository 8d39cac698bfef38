import { taglineReference } from '@fellowship/schema/passages/site-references'
import { pathByUid } from '@fellowship/schema/teachings/share-link'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Headphones, Upload } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { SavedFilter } from '../features/audio/saved/saved-filter.tsx'
import { useAuth, useRoomForMember } from '../features/auth/auth-context.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import { AllSeriesLink, GroupsLink } from '../features/teachings/group-link.list.tsx'
import { TeachingLibrary, type TeachingLibraryProps } from '../features/teachings/teaching-library.tsx'
import { UploadedBanner } from '../features/teachings/uploaded-banner.list.tsx'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { NewLink } from '../features/whats-new/new-teachings.tsx'
import { classNames } from '../lib/class-names.ts'
import { listen } from '../lib/listen.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { useHydrated } from '../lib/use-hydrated.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.view.tsx'
import { asDialog, lazyPart, optional } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { PageSpinner } from '../ui/spinner.tsx'
import { uploadPlace, useAddressAction } from './use-address-action.ts'
import { useFilters } from './use-filters.ts'
import { partOf, rowsOf, useListed } from './use-listed.tsx'
import { useRows } from './use-rows.list.tsx'
import { useShow } from './use-show.ts'

const ManageSaved = lazyPart(
  () => import('../features/audio/saved/manage-saved.tsx'),
  'ManageSaved',
  asDialog,
)
const OutboxStatus = lazyPart(() => import('../features/sync/outbox-status.tsx'), 'OutboxStatus', optional)
const SyncStatus = lazyPart(() => import('../features/sync/sync-status.tsx'), 'SyncStatus', optional)
const SeriesFound = lazyPart(() => import('../features/series/series-found.tsx'), 'SeriesFound', optional)
const UploadPanel = lazyPart(() => import('../features/uploads/upload-panel.tsx'), 'UploadPanel', {
  placeholder: ({ open }) => open && <UploadPanelSkeleton />,
})
const SoundNotes = lazyPart(() => import('../features/copies/sound-notes.tsx'), 'SoundNotes')

/** The library for everyone, with the upload panel for signed-in users. Redirects links of earlier releases. */
export function TeachingPage() {
  const t = useSearch({ from: '/teaching', select: (search) => search.t })
  return t ? <RedirectToTeaching uid={t} /> : <LibraryPage />
}

function RedirectToTeaching({ uid }: { uid: string }) {
  const at = useSearch({ from: '/teaching', select: (search) => search.at })
  const navigate = useNavigate()
  useEffect(() => {
    void navigate({ href: pathByUid(uid, at), replace: true })
  }, [uid, at, navigate])
  return <PageSpinner />
}

function LibraryPage() {
  usePageTitle('Teaching')
  const { user } = useAuth()
  const roomForMember = useRoomForMember()
  const hydrated = useHydrated()
  const { library, outbox, refresh, retry } = useLibrary(user?.id)
  const show = useShow(useSearch({ from: '/teaching', select: (search) => search.show }))
  const { listed, rows, whole, fresh } = useListed(library, show)
  const [managing, setManaging] = useState(false)
  const onManage = useCallback(() => setManaging(true), [])
  const all = whole ? rows : undefined
  const everything = rowsOf(library)
  const part = useMemo(() => partOf(show, everything), [show, everything])
  const { playing, row, dialog } = useRows({
    rows: rowsOf(listed),
    all,
    signedIn: user !== null,
    roomForMember,
    outbox,
    onManage,
  })
  const beside = useCallback(
    (query: string) => <SeriesFound query={query} rows={everything} userId={user?.id} />,
    [everything, user?.id],
  )
  const [uploading, setUploading] = useState(false)
  const openUpload = useCallback(() => setUploading(true), [])
  useAddressAction(openUpload)
  useDraggedFiles(user && openUpload)
  const [uploaded, setUploaded] = useState<Teaching | null>(null)
  const [latest, setLatest] = useState<Teaching>()
  const forgetUploaded = useCallback(() => setUploaded(null), [])
  const added = useCallback(
    (teaching: Teaching | null) => {
      setUploaded(teaching)
      if (teaching) setLatest(teaching)
      void refresh()
    },
    [refresh],
  )
  return (
    <div className="page pt-0 pb-20 sm:pt-6 lg:pt-12 lg:pb-28">
      <Introduction
        upload={
          roomForMember && (
            <Button
              icon={Upload}
              kind="secondary"
              aria-expanded={uploading}
              aria-controls={uploadPlace}
              className={classNames('max-sm:px-3', !user && 'invisible')}
              onClick={() => setUploading(!uploading)}
            >
              Upload
            </Button>
          )
        }
      />
      {uploaded && (
        <div className="mt-8">
          <UploadedBanner teaching={uploaded} onGone={forgetUploaded} />
        </div>
      )}
      <div className="beside-upload mt-4 grid grid-cols-[minmax(0,1fr)] gap-x-12 sm:mt-8 lg:mt-10">
        {user && (
          <ForUploaders
            userId={user.id}
            open={uploading}
            latest={latest}
            hydrated={hydrated}
            onAdded={added}
          />
        )}
        <div className="min-w-0 lg:col-1 lg:row-1">
          {hydrated && <OutboxStatus key={user?.id} userId={user?.id} />}
          <FilteredLibrary
            library={listed}
            onRetry={retry}
            row={row}
            playing={playing}
            beside={beside}
            above={<SavedFilter show={show} onManage={onManage} />}
            part={part}
            status={status}
            news={fresh.length > 0 && <NewLink count={fresh.length} />}
          />
          <BrowseLinks />
        </div>
      </div>
      {dialog}
      {managing && <ManageSaved rows={rows} onClose={() => setManaging(false)} />}
    </div>
  )
}

interface ForUploadersProps {
  userId: number
  open: boolean
  /** The last teaching uploaded on this page. */
  latest: Teaching | undefined
  hydrated: boolean
  onAdded: (teaching: Teaching | null) => void
}

function ForUploaders({ userId, open, latest, hydrated, onAdded }: ForUploadersProps) {
  return (
    <div id={uploadPlace} tabIndex={-1} className="outline-none lg:col-1 lg:row-1 lg:self-start print:hidden">
      <UploadPanel userId={userId} open={open} onAdded={onAdded} />
      {hydrated && <SoundNotes latest={latest} open={open} />}
    </div>
  )
}

/** Has the state of the search, so that typing renders only the list again. */
function FilteredLibrary(props: Omit<TeachingLibraryProps, 'filters' | 'onFilters'>) {
  const [filters, onFilters] = useFilters()
  return <TeachingLibrary {...props} filters={filters} onFilters={onFilters} />
}

function Status() {
  return useHydrated() && <SyncStatus />
}
const status = <Status />

const BrowseLinks = () => (
  <nav aria-label="Browse" className="mt-10 print:hidden">
    <h2 className="text-section">Browse</h2>
    <p className="mt-1 flex flex-wrap gap-x-6">
      <AllSeriesLink />
      <GroupsLink kind="speakers" />
      <GroupsLink kind="books" />
    </p>
  </nav>
)

function Introduction({ upload }: { upload: ReactNode }) {
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-3">
        <h1 className="text-title">Teaching</h1>
        <div className="flex items-center gap-1 sm:gap-2">
          {upload}
          <Link to="/listening" className={buttonClass('quiet', 'max-sm:size-11 max-sm:px-0')}>
            <Headphones className="size-5 shrink-0" />
            <span className="max-sm:sr-only">My listening</span>
          </Link>
        </div>
      </div>
      <p className="mt-1 font-serif text-small text-wheat-text sm:mt-3 sm:text-xl">
        <ScriptureText text={`Speaking the truth in love. (${taglineReference})`} />
      </p>
      {/* Hidden on a phone, so that the newest teaching is visible without scrolling. */}
      <p className="measure mt-5 text-soft max-sm:hidden">
        Listen again to what was taught on Sunday, or look for a passage, a speaker or a subject from earlier
        years. Everything here is free to play and to download.
      </p>
    </>
  )
}

function UploadPanelSkeleton() {
  return (
    <div data-upload="" className="max-lg:mb-6">
      <Card className="p-[min(1.5rem,7.5vw)] max-sm:mx-[max(-.75rem,-4vw)]">
        <Skeleton className="h-8 w-1/2" />
        <Skeleton className="mt-5 h-40" />
        <Skeleton className="mt-5 h-11" />
      </Card>
    </div>
  )
}

/** Calls back when files are dragged over the page, so that a drop area can open; null if the user may not upload. */
function useDraggedFiles(onFiles: (() => void) | null): void {
  useEffect(() => {
    if (!onFiles) return undefined
    const onDrag = ({ dataTransfer }: DragEvent) => {
      if (dataTransfer?.types.includes('Files')) onFiles()
    }
    return listen(window, ['dragenter'], onDrag)
  }, [onFiles])
}
