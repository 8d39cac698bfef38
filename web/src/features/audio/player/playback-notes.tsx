import { HardDrive, RotateCcw, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { clockTime } from '../../../lib/clock-time.ts'
import { Button } from '../../../ui/button.tsx'
import type { Failure, Player } from './player-state.ts'
import { usePlayerState } from './use-player.ts'

/** Notes about this playback: the resumed position, a saved copy, a failure. */
export function PlaybackNotes({ player }: { player: Player }) {
  const resumedAt = usePlayerState(player, (state) => state.resumedAt)
  const jumpedFrom = usePlayerState(player, (state) => state.jumpedFrom)
  const saved = usePlayerState(player, (state) => state.saved)
  const failure = usePlayerState(player, (state) => state.failure)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 text-small text-soft empty:hidden">
        {saved === true && (
          <span className="mt-2 inline-flex items-center gap-1.5 text-leaf">
            <HardDrive className="size-4" />
            Playing from this device
          </span>
        )}
        {jumpedFrom !== null && (
          <NoteButton onClick={() => player.seek(jumpedFrom)}>
            <Undo2 className="size-4" />
            Back to {clockTime(jumpedFrom)}
          </NoteButton>
        )}
        {resumedAt !== null && (
          <>
            <span>Resumed at {clockTime(resumedAt)}</span>
            <NoteButton onClick={player.startAgain}>
              <RotateCcw className="size-4" />
              Start over
            </NoteButton>
          </>
        )}
      </div>
      {failure === null ? <Stalled player={player} /> : <Failed player={player} failure={failure} />}
    </>
  )
}

function NoteButton(props: { onClick: () => void; children: React.ReactNode }) {
  return <Button kind="quiet" className="-mx-2 px-2! text-small!" {...props} />
}

/** Shows a note when loading takes long, as the network is slow or gone. */
function Stalled({ player }: { player: Player }) {
  const loading = usePlayerState(player, (state) => state.status === 'loading')
  return loading ? <StalledNote key="waiting" /> : null
}

function StalledNote() {
  const [long, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), stalledAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <output className="block text-small text-wheat-text empty:hidden">
      {long && 'Waiting for a connection. This will carry on as soon as there is enough signal.'}
    </output>
  )
}

const stalledAfterMs = 6_000

function Failed({ player, failure }: { player: Player; failure: Failure }) {
  return (
    <div
      role="alert"
      className="mt-3 flex flex-wrap items-center justify-between gap-3 rounded-card bg-brick-tint px-4 py-3"
    >
      <p className="min-w-0 flex-1 basis-52 text-brick">{sentences[failure]}</p>
      <Button kind="secondary" onClick={player.play}>
        Try again
      </Button>
    </div>
  )
}

const sentences: Record<Failure, string> = {
  unreachable: 'You’re offline. This will carry on when you’re back online. Saved teachings still play.',
  refused: 'The server does not have this recording any more. Press Sync to bring the list up to date.',
  unplayable: 'This browser cannot play this recording. Download it, and open it with another player.',
}
