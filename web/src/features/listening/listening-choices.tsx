import { isHeard } from '@fellowship/schema/listening/listening-marks'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { Check, Heart, HeartOff, ListEnd, ListStart, Undo2 } from 'lucide-react'
import { Choice } from '../../ui/choice.tsx'
import { useMarks } from './marks.ts'
import { mark } from './marks.device.ts'
import { usePositions } from './positions.ts'
import { addToUpNext } from './queue.device.ts'

/** The listener's actions for a teaching, in a sheet of choices. Renders nothing if it has no audio. */
export function ListeningChoices({ teaching, onDone }: { teaching: ListedTeaching; onDone: () => void }) {
  const { uid } = teaching
  const marks = useMarks(uid)
  const heard = isHeard(usePositions()?.get(uid), marks)
  const favourite = marks?.favourite?.on ?? false
  if (!teaching.audioUrl) return null
  const choose = (then: () => Promise<void>) => () => {
    onDone()
    void then()
  }
  return (
    <>
      <Choice icon={ListStart} onClick={choose(() => addToUpNext(teaching, 'playNext'))}>
        Play next
      </Choice>
      <Choice icon={ListEnd} onClick={choose(() => addToUpNext(teaching, 'addToEnd'))}>
        Add to Up next
      </Choice>
      <Choice icon={favourite ? HeartOff : Heart} onClick={choose(() => mark(uid, 'favourite', !favourite))}>
        {favourite ? 'Remove from favourites' : 'Add to favourites'}
      </Choice>
      <Choice icon={heard ? Undo2 : Check} onClick={choose(() => mark(uid, 'heard', !heard))}>
        {heard ? 'Mark as not heard' : 'Mark as heard'}
      </Choice>
    </>
  )
}
