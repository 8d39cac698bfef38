import { resumeAt } from '@fellowship/schema/listening/listening-position'
import { Check } from 'lucide-react'
import { clockTime } from '../../../lib/clock-time.ts'
import { usePositions } from '../../listening/positions.ts'

/** What this device has heard of a teaching: 'Heard', or how much is left, with a line. Nothing where it was not begun. */
export function ListeningMark({ uid }: { uid: string }) {
  const position = usePositions()?.get(uid)
  if (!position) return null
  const { seconds, duration } = position
  if (resumeAt(position) > 0) {
    return (
      <span className="inline-flex items-center gap-1.5 whitespace-nowrap tabular-nums print:hidden">
        <span aria-hidden="true" className="h-1 w-10 overflow-hidden rounded-full bg-line">
          <span
            className="block h-full rounded-full bg-pine"
            style={{ width: `${(seconds / duration) * 100}%` }}
          />
        </span>
        {clockTime(duration - seconds)} left
      </span>
    )
  }
  return seconds > 0 ? (
    <span className="inline-flex items-center gap-1 text-leaf print:hidden">
      <Check aria-hidden="true" className="size-4" />
      Heard
    </span>
  ) : null
}
