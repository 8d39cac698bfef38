import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { freeAhead, readAhead } from '@fellowship/sync/client/saved-audio/ahead-store'
import { readMyListening, type MyListening } from '@fellowship/sync/client/listening/listening.store'
import { useMemo, useState, type ReactNode } from 'react'
import { ListeningMark } from '../features/audio/player/listening-mark.tsx'
import { PlayDisc } from '../features/audio/player/play-disc.view.tsx'
import type { Player } from '../features/audio/player/player-state.ts'
import { playableOf } from '../features/audio/player/recording-of.ts'
import { usePlayer } from '../features/audio/player/use-player.ts'
import { playThrough } from '../features/audio/up-next/play-through.ts'
import { UpNextList } from '../features/audio/up-next/up-next-list.tsx'
import { KeepNewest } from '../features/audio/saved/save-more.tsx'
import { savedCount } from '../features/audio/saved/device-state.list.ts'
import { savedRows } from '../features/audio/saved/saved-rows.list.ts'
import { useSavedShelf } from '../features/audio/saved/saved.ts'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useLibrary } from '../features/teachings/use-library.view.ts'
import { rowsOf } from './use-listed.tsx'
import { NeedsConnection } from '../features/audio/saved/needs-connection.tsx'
import { ListeningFiles } from '../features/listening/listening-files.tsx'
import { ListeningKeeping } from '../features/listening/listening-keeping.tsx'
import { NoteList } from '../features/listening/note-list.tsx'
import { RowMore } from '../features/listening/row-more.tsx'
import { useDeviceQuery } from '../features/sync/use-device-query.ts'
import { TeachingLink } from '../features/teachings/teaching-link.view.tsx'
import { placesToOffer } from '@fellowship/sync/protocol/listening-merge'
import type { PositionRow } from '@fellowship/sync/client/database/app-database'
import { clockTime } from '../lib/clock-time.ts'
import { fileSize } from '../lib/file-size.ts'
import { momentOf } from '../features/audio/player/resume-position.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.view.tsx'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { Cover } from '../ui/cover.view.tsx'
import { ListeningSkeleton } from './listening-skeleton.tsx'

const ManageSaved = lazyPart(
  () => import('../features/audio/saved/manage-saved.tsx'),
  'ManageSaved',
  asDialog,
)
const RowSheet = lazyPart(() => import('./row-sheet.tsx'), 'RowSheet', asDialog)

/** The parts of My listening: begun, queued, saved, favourite and finished teachings, and notes. */
export function ListeningParts() {
  const player = usePlayer()
  const mine = useDeviceQuery<MyListening | undefined>(() => readMyListening(), [], undefined)
  return (
    <>
      <ListeningKeeping />
      {!mine || !player ? <ListeningSkeleton /> : <Parts mine={mine} player={player} />}
    </>
  )
}

function Parts({ mine, player }: { mine: MyListening; player: Player }) {
  const { unfinished, favourites, notes, heard } = mine
  const first = favourites[0]
  return (
    <div className="max-w-3xl">
      <Part title="Continue" count={unfinished.length} whenEmpty="Nothing in progress.">
        <Teachings
          teachings={unfinished.map(({ teaching }) => teaching)}
          player={player}
          otherPlaces={new Map(unfinished.map(({ position }) => [position.uid, otherPlace(position)]))}
        />
      </Part>
      <Part title="Up next">
        <UpNextList player={player} />
      </Part>
      <SavedPart player={player} />
      <RoadPart player={player} />
      <Part
        title="Favourites"
        count={favourites.length}
        whenEmpty="No favourites yet. Tap ⋯ beside a teaching, then “Add to favourites”."
        action={
          first && (
            <Button kind="secondary" onClick={() => playThrough(player, favourites, first.uid)}>
              Play them all
            </Button>
          )
        }
      >
        <Teachings teachings={favourites} player={player} />
      </Part>
      <Part title="Heard" count={heard.length} whenEmpty="Nothing finished yet.">
        <Teachings teachings={heard} player={player} />
      </Part>
      <Part
        title="Notes"
        count={notes.length}
        whenEmpty="No notes yet. Open the large player while you listen, and press “Write a note”."
      >
        {notes.map((about) => (
          <Card key={about.teaching.uid} className="mt-3 p-4">
            <h3 className="text-lg leading-tight">{shownTitle(about.teaching)}</h3>
            <NoteList
              notes={about.notes}
              onPlay={(seconds) => {
                const recording = playableOf(about.teaching)
                if (recording) player.playFrom(recording, seconds)
              }}
            />
          </Card>
        ))}
      </Part>
      <Part title="Your data">
        <ListeningFiles onDelete={player.close} />
      </Part>
    </div>
  )
}

/** The teachings on this device, and the switch that always keeps the newest. */
function SavedPart({ player }: { player: Player }) {
  const { library } = useLibrary(useAuth().user?.id)
  const shelf = useSavedShelf()
  const [managing, setManaging] = useState(false)
  const rows = rowsOf(library)
  const saved = useMemo(() => savedRows(shelf, rows), [shelf, rows])
  if (shelf.status === 'unavailable') return null
  return (
    <Part
      title="Saved"
      // Those that are still to come are among the rows.
      count={savedCount(shelf)}
      action={
        <Button kind="secondary" aria-haspopup="dialog" onClick={() => setManaging(true)}>
          Manage
        </Button>
      }
    >
      <KeepNewest rows={rows} />
      {saved.length === 0 ? (
        <p className="mt-2 text-soft">Nothing saved yet. Saved teaching plays without a connection.</p>
      ) : (
        <Teachings teachings={saved} player={player} />
      )}
      {managing && <ManageSaved rows={rows} onClose={() => setManaging(false)} />}
    </Part>
  )
}

/** Teachings that were played and are still on this device, and the press that frees their room. */
function RoadPart({ player }: { player: Player }) {
  const userId = useAuth().user?.id
  const { library } = useLibrary(userId)
  const held = useDeviceQuery(() => readAhead(undefined, userId ?? null), [userId], [])
  const rows = rowsOf(library)
  const shown = useMemo(() => {
    const byKey = new Map(held.map((recording) => [recording.key, recording]))
    return savedRows({ status: 'known', byKey, newest: 0 }, rows)
  }, [held, rows])
  const bytes = held.reduce((sum, recording) => sum + recording.bytes, 0)
  if (bytes === 0) return null
  const keys = new Set(held.map(({ key }) => key))
  return (
    <Part
      title="For the road"
      count={shown.length}
      action={
        <Button
          kind="secondary"
          onClick={() => void freeAhead(({ key }) => keys.has(key)).catch(() => undefined)}
        >
          Free {fileSize(bytes)}
        </Button>
      }
    >
      <p className="mt-2 text-soft">
        Fetched while you listened, so that it plays without signal. What you heard longest ago goes first
        when the room is needed.
      </p>
      <Teachings teachings={shown} player={player} />
    </Part>
  )
}

interface PartProps {
  title: string
  /** The number of entries; omitted if the part shows it itself. */
  count?: number
  whenEmpty?: string
  action?: ReactNode
  children: ReactNode
}

function Part({ title, count, whenEmpty, action, children }: PartProps) {
  const id = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  return (
    <section aria-labelledby={id} className="mt-8">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id={id} className="text-section">
          {title}
          {count ? ` (${count})` : ''}
        </h2>
        {action}
      </div>
      {count === 0 && whenEmpty ? <p className="mt-2 text-soft">{whenEmpty}</p> : children}
    </section>
  )
}

/** The previous position, perhaps of another device, in seconds; undefined if it is near the present one. */
function otherPlace(position: PositionRow): number | undefined {
  const [before] = position.earlier
  return before && placesToOffer(position, { ...position, ...before, earlier: [] })[1]
}

interface TeachingsProps {
  teachings: readonly ListedTeaching[]
  player: Player
  /** For those in progress, which have a cover: another second to continue from, by uid. */
  otherPlaces?: ReadonlyMap<string, number | undefined>
}

function Teachings({ teachings, player, otherPlaces }: TeachingsProps) {
  const [shown, setShown] = useState(pageSize)
  const momentIn = ({ uid }: { uid: string }) => momentOf(player, uid)
  return (
    <Card className="mt-3 overflow-hidden">
      <ul>
        {teachings.slice(0, shown).map((teaching) => (
          <li
            key={teaching.uid}
            className="flex flex-wrap items-center gap-3 border-b border-line p-3 last:border-b-0"
          >
            {otherPlaces && (
              <Cover
                kind="teaching"
                title={shownTitle(teaching)}
                sizes="5rem"
                className="h-20 max-sm:hidden"
              />
            )}
            <PlayDisc teaching={teaching} />
            <div className="min-w-0 grow basis-32">
              <h3 className="text-lg leading-tight">
                <TeachingLink teaching={teaching} className="hover:text-pine" />
              </h3>
              <p className="dotted mt-1 text-small wrap-anywhere text-soft">
                <span>{teaching.speaker}</span>{' '}
                <time dateTime={teaching.date}>{formatDate(teaching.date)}</time>{' '}
                <ListeningMark uid={teaching.uid} />{' '}
                {teaching.audioUrl && <NeedsConnection teaching={teaching} />}
              </p>
              <OtherPlace teaching={teaching} player={player} seconds={otherPlaces?.get(teaching.uid)} />
            </div>
            <RowMore
              teaching={teaching}
              sheet={(close) => <RowSheet teaching={teaching} momentOf={momentIn} onClose={close} />}
            />
          </li>
        ))}
      </ul>
      {teachings.length > shown && (
        <div className="border-t border-line p-4 text-center">
          <button type="button" className={buttonClass('quiet')} onClick={() => setShown(shown + pageSize)}>
            Show more
          </button>
        </div>
      )}
    </Card>
  )
}

function OtherPlace({
  teaching,
  player,
  seconds,
}: {
  teaching: ListedTeaching
  player: Player
  seconds: number | undefined
}) {
  const recording = playableOf(teaching)
  if (seconds === undefined || !recording) return null
  return (
    <Button kind="quiet" onClick={() => player.playFrom(recording, seconds)}>
      You were at {clockTime(seconds)} before
    </Button>
  )
}

const pageSize = 10
