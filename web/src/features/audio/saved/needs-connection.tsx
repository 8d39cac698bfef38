import { useOnline } from '../../../lib/use-online.ts'
import { standingOf } from '../../sync/status-words.ts'
import { useDeviceSync } from '../../sync/use-device-sync.ts'
import { savedOf, useSavedShelf } from './saved.ts'

/** Says offline that a teaching is not on this device; the row around it is paler. Nothing while there is a connection. */
export function NeedsConnection({ audioUrl }: { audioUrl: string }) {
  const isOnline = useOnline()
  const sync = useDeviceSync()
  const shelf = useSavedShelf()
  const isOffline = !isOnline || (sync !== undefined && standingOf(sync) === 'offline')
  if (!isOffline || shelf.status === 'unknown' || savedOf(audioUrl, shelf)?.state === 'ready') return null
  return (
    <span data-unreachable="" className="whitespace-nowrap text-wheat-text print:hidden">
      Needs a connection
    </span>
  )
}
