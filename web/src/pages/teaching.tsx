import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { InlinePlayer } from '../features/audio/inline-player.tsx'
import type { PlayerStatus, Recording } from '../features/audio/player.ts'
import { usePlayer, usePlayerState } from '../features/audio/use-player.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { shownTitle } from '../features/teachings/shown-title.ts'
import { TeachingLibrary } from '../features/teachings/teaching-library.tsx'
import { TeachingRow, type RowPlayback } from '../features/teachings/teaching-row.tsx'
import { UploadedBanner } from '../features/teachings/uploaded-banner.tsx'
import { useLibrary } from '../features/teachings/use-library.ts'
import { holdPage } from '../lib/busy.ts'
import { classNames } from '../lib/class-names.ts'
import { usePageTitle } from '../lib/page-title.ts'
import { UploadPanelSkeleton } from '../features/uploads/upload-panel-skeleton.tsx'

const RowTools = lazy(() =>
  import('../features/teachings/row-tools.tsx').then((m) => ({ default: m.RowTools })),
)
const UploadPanel = lazy(() =>
  import('../features/uploads/upload-panel.tsx').then((m) => ({ default: m.UploadPanel })),
)

/** SPEC §2, Teaching: the library for everyone, the upload panel for signed-in people. */
export function TeachingPage() {
  usePageTitle('Teaching')
  const { user } = useAuth()
  const { library, refresh, retry } = useLibrary()
  const { playing, row } = useRows(library.status === 'ready' ? library.rows : none, user !== null)
  const [uploaded, setUploaded] = useState<Teaching | null>(null)
  const forgetUploaded = useCallback(() => setUploaded(null), [])
  const added = useCallback(
    (teaching: Teaching | null) => {
      setUploaded(teaching)
      refresh()
    },
    [refresh],
  )
  return (
    <div className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <Introduction />
      {uploaded && (
        <div className="mt-8">
          <UploadedBanner teaching={uploaded} onGone={forgetUploaded} />
        </div>
      )}
      <div className={classNames('mt-8 grid gap-12 lg:mt-10', user && 'lg:grid-cols-[minmax(0,1fr)_23rem]')}>
        <TeachingLibrary library={library} onRetry={retry} row={row} playing={playing} />
        {user && (
          <Suspense fallback={<UploadPanelSkeleton />}>
            <UploadPanel onAdded={added} />
          </Suspense>
        )}
      </div>
    </div>
  )
}

const none: readonly Teaching[] = []

function Introduction() {
  return (
    <>
      <h1 className="text-title">Teaching</h1>
      <p className="mt-3 font-serif text-xl text-wheat-text">Speaking the truth in love. (Ephesians 4:15)</p>
      <p className="measure mt-5 text-soft">
        Listen again to what was taught on Sunday, or look for a passage, a speaker or a subject from earlier
        years. Everything here is free to play and to download.
      </p>
    </>
  )
}

/** The rows with the player inside the open one, and which teaching that is. */
function useRows(rows: readonly Teaching[], signedIn: boolean) {
  const player = usePlayer()
  const openUid = usePlayerState(player, (state) => state.recording?.uid ?? null)
  const status = usePlayerState(player, (state) => state.status)
  const playing = rows.find(({ uid }) => uid === openUid) ?? null

  // Without a row there is nothing to pause it by: deleted meanwhile, or the page is left.
  useEffect(() => {
    if (openUid && rows.length > 0 && !playing) player?.close()
  }, [openUid, rows, playing, player])
  useEffect(() => () => player?.close(), [player])
  const sounding = status === 'playing' || status === 'loading'
  useEffect(() => (sounding ? holdPage() : undefined), [sounding])

  const row = (teaching: Teaching) => {
    const recording = recordingOf(teaching)
    const open = teaching.uid === openUid
    return (
      <TeachingRow
        key={teaching.uid}
        teaching={teaching}
        playback={open ? playbackOf(status) : 'closed'}
        onToggle={() => recording && player?.toggle(recording)}
        tools={
          signedIn && (
            <Suspense>
              <RowTools teaching={teaching} />
            </Suspense>
          )
        }
      >
        {open && player && recording && <InlinePlayer player={player} recording={recording} />}
      </TeachingRow>
    )
  }
  return { playing, row }
}

const recordingOf = (teaching: Teaching): Recording | null =>
  teaching.audioUrl
    ? {
        uid: teaching.uid,
        title: shownTitle(teaching),
        audioUrl: teaching.audioUrl,
        duration: teaching.duration,
      }
    : null

const playbackOf = (status: PlayerStatus | null): RowPlayback =>
  status === 'playing' || status === 'loading' ? 'playing' : 'paused'
