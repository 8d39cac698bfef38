import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { usePrefersSmall } from '../data-choices.ts'
import { useOffline } from '../../sync/use-device-sync.ts'
import { chosenRecording } from '../recording-choice.ts'
import { useSavedShelf, wholeOf } from './saved.ts'

/** Shows offline that a teaching is not on this device; the row around it is paler. Renders nothing online. */
export function NeedsConnection({ teaching }: { teaching: ListedTeaching }) {
  const isOffline = useOffline()
  const shelf = useSavedShelf()
  const { audioUrl } = chosenRecording(teaching, shelf, usePrefersSmall())
  if (!isOffline || shelf.status === 'unknown' || wholeOf(audioUrl, shelf)) return null
  return (
    <span data-unreachable="" className="whitespace-nowrap text-wheat-text print:hidden">
      Needs a connection
    </span>
  )
}
