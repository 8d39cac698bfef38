import { taglineReference } from '@fellowship/schema/passages/site-references'
import { pathByUid } from '@fellowship/schema/teachings/share-link'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { SavedFilter } from '../features/audio/saved/saved-filter.tsx'
import { useAuth, useRoomForMember } from '../features/auth/auth-context.tsx'
import { ScriptureText } from '../features/passages/scripture-text.tsx'
import type { LibraryFilters } from '../features/teachings/library.ts'
import { TeachingLibrary, type TeachingLibraryProps } from '../features/teachings/teaching-library.tsx'
import { UploadedBanner } from '../features/teachings/uploaded-banner.list.tsx'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { NewLink } from '../features/whats-new/new-teachings.tsx'
import { classNames } from '../lib/class-names.ts'
import { listen } from '../lib/listen.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { useHydrated } from '../lib/use-hydrated.ts'
import { Button } from '../ui/button.tsx'
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
const AboveLibrary = lazyPart(() => import('./above-library.tsx'), 'AboveLibrary', optional)
const SyncStatus = lazyPart(() => import('../features/sync/sync-status.tsx'), 'SyncStatus', optional)
const SeriesFound = lazyPart(() => import('../features/series/series-found.tsx'), 'SeriesFound', optional)
const SpokenResults = lazyPart(() => import('./spoken-results.tsx'), 'SpokenResults', optional)
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
  const { listed, rows, fresh } = useListed(library, show)
  const [managing, setManaging] = useState(false)
  const onManage = useCallback(() => setManaging(true), [])
  const everything = rowsOf(library)
  const part = useMemo(() => partOf(show, everything), [show, everything])
  const row = useRows({
    signedIn: user !== null,
    roomForMember,
    outbox,
    onManage,
  })
  const beside = useCallback(
    (query: string) => <SeriesFound query={query} rows={everything} userId={user?.id} />,
    [everything, user?.id],
  )
  const below = useCallback(
    (filters: LibraryFilters) => <SpokenResults filters={filters} rows={rows} />,
    [rows],
  )
  // Undefined until the user opens or closes the panel: it is shown if it has something to show.
  const [uploading, setUploading] = useState<boolean>()
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
    <div className="page pt-0 pb-20 sm:pt-6 lg:pb-28">
      <Introduction
        upload={
          roomForMember && (
            <Button
              icon={Upload}
              kind="secondary"
              aria-expanded={uploading === true}
              aria-controls={uploadPlace}
              className={classNames('max-sm:px-3', !user && 'invisible')}
              onClick={() => setUploading(!(uploading ?? isUploadShown()))}
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
      <div className="beside-upload mt-3 grid grid-cols-[minmax(0,1fr)] gap-x-12 sm:mt-6">
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
          {hydrated && <AboveLibrary key={user?.id} userId={user?.id} />}
          <FilteredLibrary
            library={listed}
            onRetry={retry}
            row={row}
            beside={beside}
            below={below}
            tabs={<SavedFilter show={show} onManage={onManage} />}
            part={part}
            status={status}
            news={fresh.length > 0 && <NewLink count={fresh.length} />}
          />
        </div>
      </div>
      {managing && <ManageSaved rows={rows} onClose={() => setManaging(false)} />}
    </div>
  )
}

const isUploadShown = () => document.querySelector('[data-upload]:not([hidden])') !== null

interface ForUploadersProps {
  userId: number
  open: boolean | undefined
  /** The last teaching uploaded on this page. */
  latest: Teaching | undefined
  hydrated: boolean
  onAdded: (teaching: Teaching | null) => void
}

function ForUploaders({ userId, open, latest, hydrated, onAdded }: ForUploadersProps) {
  return (
    <div id={uploadPlace} tabIndex={-1} className="outline-none lg:col-1 lg:row-1 lg:self-start print:hidden">
      <UploadPanel userId={userId} open={open} onAdded={onAdded} />
      {hydrated && <SoundNotes latest={latest} open={open === true} />}
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

function Introduction({ upload }: { upload: ReactNode }) {
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
        <h1 className="text-title">Teaching</h1>
        {upload}
      </div>
      <p className="mt-1 font-serif text-small text-wheat-text sm:mt-2 sm:text-xl">
        <ScriptureText text={`Speaking the truth in love. (${taglineReference})`} />
      </p>
      {/* Hidden on a phone, so that the newest teaching is visible without scrolling. */}
      <p className="mt-1 text-soft max-sm:hidden">Everything here is free to play and to download.</p>
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
