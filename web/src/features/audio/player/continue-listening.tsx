import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { resumeAt, type ListeningPosition } from '@fellowship/schema/listening/listening-position'
import { Play } from 'lucide-react'
import { clockTime } from '../../../lib/clock-time.ts'
import type { Positions } from '../../listening/positions-state.ts'
import { usePositions } from '../../listening/positions.ts'
import { usePlayer, usePlayerState } from './use-player.ts'

interface ContinueListeningProps {
  rows: readonly Teaching[]
  onContinue: (teaching: Teaching) => void
}

/** The last teaching that was left unfinished on this device, at the top of the library; nothing while one is open. */
export function ContinueListening({ rows, onContinue }: ContinueListeningProps) {
  const positions = usePositions()
  const open = usePlayerState(usePlayer(), (state) => state.status !== 'closed')
  const last = positions && lastUnfinished(rows, positions)
  if (!last || open) return null
  const { teaching, position } = last
  const title = shownTitle(teaching)
  return (
    <button
      type="button"
      onClick={() => onContinue(teaching)}
      className="mb-6 flex w-full animate-rise items-center gap-4 rounded-card border border-line bg-raised p-3 pr-5 text-left shadow-soft transition-colors hover:border-pine"
    >
      <span className="inline-flex size-11 shrink-0 items-center justify-center rounded-full bg-pine-tint text-pine">
        <Play aria-hidden="true" className="ml-0.5 size-5 fill-current" />
      </span>
      <span className="min-w-0 grow">
        <span className="block text-small font-medium text-wheat-text">Continue listening</span>
        <span className="block truncate font-serif text-lg leading-snug">{title}</span>
      </span>
      <span className="shrink-0 text-small text-soft tabular-nums max-[22rem]:hidden">
        {clockTime(position.seconds)} of {clockTime(position.duration)}
      </span>
    </button>
  )
}

/** The most recently heard one that was begun and not heard to its end, and that there still is. */
function lastUnfinished(
  rows: readonly Teaching[],
  positions: Positions,
): { teaching: Teaching; position: ListeningPosition } | undefined {
  for (const [uid, position] of positions) {
    if (resumeAt(position) === 0) continue
    const teaching = rows.find((row) => row.uid === uid)
    if (teaching?.audioUrl) return { teaching, position }
  }
  return undefined
}
