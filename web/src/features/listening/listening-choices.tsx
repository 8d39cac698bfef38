import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { ListEnd, ListStart } from 'lucide-react'
import { Choice } from '../../ui/choice.tsx'
import { addToUpNext } from './queue-device.ts'

interface ListeningChoicesProps {
  teaching: Teaching
  onDone: () => void
}

/** What a listener can do with a teaching, in a sheet of choices. Nothing where it has no audio. */
export function ListeningChoices({ teaching, onDone }: ListeningChoicesProps) {
  if (!teaching.audioUrl) return null
  const add = (place: 'playNext' | 'addToEnd') => () => {
    onDone()
    void addToUpNext(teaching, place)
  }
  return (
    <>
      <Choice icon={<ListStart aria-hidden="true" className="size-5 shrink-0" />} onClick={add('playNext')}>
        Play next
      </Choice>
      <Choice icon={<ListEnd aria-hidden="true" className="size-5 shrink-0" />} onClick={add('addToEnd')}>
        Add to Up next
      </Choice>
    </>
  )
}
