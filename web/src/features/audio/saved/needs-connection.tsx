import { useOffline } from '../../sync/use-device-sync.ts'
import { savedOf, useSavedShelf } from './saved.ts'

/** Shows offline that a teaching is not on this device; the row around it is paler. Renders nothing online. */
export function NeedsConnection({ audioUrl }: { audioUrl: string }) {
  const isOffline = useOffline()
  const shelf = useSavedShelf()
  if (!isOffline || shelf.status === 'unknown' || savedOf(audioUrl, shelf)?.state === 'ready') return null
  return (
    <span data-unreachable="" className="whitespace-nowrap text-wheat-text print:hidden">
      Needs a connection
    </span>
  )
}
