import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { readMyListening, type MyListening } from '@fellowship/sync/client/listening/listening.store'
import { useState, type ReactNode } from 'react'
import { ListeningMark } from '../features/audio/player/listening-mark.tsx'
import { PlayDisc } from '../features/audio/player/play-disc.view.tsx'
import type { Player } from '../features/audio/player/player-state.ts'
import { playableOf } from '../features/audio/player/recording-of.ts'
import { usePlayer } from '../features/audio/player/use-player.ts'
import { playThrough } from '../features/audio/up-next/play-through.ts'
import { UpNextList } from '../features/audio/up-next/up-next-list.tsx'
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
import { usePageTitle } from '../lib/page-title.view.ts'
import { momentOf } from '../features/audio/player/resume-position.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.view.tsx'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { PageSpinner } from '../ui/spinner.tsx'

const RowSheet = lazyPart(() => import('./row-sheet.tsx'), 'RowSheet', asDialog)

/** The teachings that the listener heard and marked on this device, with the notes. Needs no connection. */
export function ListeningPage() {
  usePageTitle('My listening')
  const player = usePlayer()
  const mine = useDeviceQuery<MyListening | undefined>(() => readMyListening(), [], undefined)
  return (
    <div className="page pt-0 pb-20 sm:pt-6 lg:pt-12 lg:pb-28">
      <h1 className="text-title">My listening</h1>
      <ListeningKeeping />
      {!mine || !player ? <PageSpinner /> : <Parts mine={mine} player={player} />}
    </div>
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
      <Part title="Heard" count={heard.length} whenEmpty="Nothing finished yet.">
        <Teachings teachings={heard} player={player} />
      </Part>
      <Part title="Your data">
        <ListeningFiles onDelete={player.close} />
      </Part>
    </div>
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
      {count === 0 ? <p className="mt-2 text-soft">{whenEmpty}</p> : children}
    </section>
  )
}

/** The previous position, perhaps of another device, in seconds; undefined if it is near the present one. */
function otherPlace(position: PositionRow): number | undefined {
  const [before] = position.earlier
  return before && placesToOffer(position, { ...position, ...before, earlier: [] })[1]
}

interface TeachingsProps {
  teachings: readonly Teaching[]
  player: Player
  /** Another second to continue from, by uid. */
  otherPlaces?: ReadonlyMap<string, number | undefined>
}

function Teachings({ teachings, player, otherPlaces }: TeachingsProps) {
  const [shown, setShown] = useState(pageSize)
  const momentIn = ({ uid }: { uid: string }) => momentOf(player, uid)
  return (
    <Card className="mt-3 overflow-hidden">
      <ul>
        {teachings.slice(0, shown).map((teaching) => (
          <li key={teaching.uid} className="flex items-center gap-3 border-b border-line p-3 last:border-b-0">
            <PlayDisc teaching={teaching} />
            <div className="min-w-0 grow">
              <h3 className="text-lg leading-tight">
                <TeachingLink teaching={teaching} className="hover:text-pine" />
              </h3>
              <p className="dotted mt-1 text-small wrap-anywhere text-soft">
                <span>{teaching.speaker}</span>{' '}
                <time dateTime={teaching.date}>{formatDate(teaching.date)}</time>{' '}
                <ListeningMark uid={teaching.uid} />{' '}
                <NeedsConnection audioUrl={playableOf(teaching)?.audioUrl ?? ''} />
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
  teaching: Teaching
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
