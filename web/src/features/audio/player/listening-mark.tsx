import { isHeard, isUnfinished } from '@fellowship/schema/listening/listening-marks'
import { Check, Heart } from 'lucide-react'
import { clockTime } from '../../../lib/clock-time.ts'
import { useMarks } from '../../listening/marks.ts'
import { usePositions } from '../../listening/positions.ts'

/**
 * The listening state of a teaching: a heart if it is a favourite, and 'Heard' or the time left, with a line.
 * Renders nothing if it was neither begun nor marked.
 */
export function ListeningMark({ uid }: { uid: string }) {
  const marks = useMarks(uid)
  const position = usePositions()?.get(uid)
  return (
    <>
      {marks?.favourite?.on && (
        <span className="ml-0.5 inline-flex items-center text-pine print:hidden">
          <Heart className="size-4 fill-current" />
          <span className="sr-only">Favourite</span>
        </span>
      )}{' '}
      {isUnfinished(position, marks) ? (
        <span className="inline-flex items-center gap-1.5 whitespace-nowrap tabular-nums print:hidden">
          <span aria-hidden="true" className="h-1 w-10 overflow-hidden rounded-full bg-line">
            <span
              className="block h-full rounded-full bg-pine"
              style={{ width: `${(position.seconds / position.duration) * 100}%` }}
            />
          </span>
          {clockTime(position.duration - position.seconds)} left
        </span>
      ) : (
        isHeard(position, marks) && (
          <span className="inline-flex items-center gap-1 text-leaf print:hidden">
            <Check className="size-4" />
            Heard
          </span>
        )
      )}
    </>
  )
}
