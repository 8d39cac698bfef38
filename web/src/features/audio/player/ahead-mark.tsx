import { HardDrive } from 'lucide-react'
import { useStore } from '../../../lib/lazy-store.ts'
import { heldState } from './ahead.device.ts'

/** How long the open recording plays on without signal: '32 min ahead', or a mark if all of it is here. */
export function AheadMark() {
  const { minutes, isWhole } = useStore(heldState)
  if (isWhole)
    return (
      <span className="whitespace-nowrap text-leaf">
        {' · '}
        <span className="inline-flex align-middle">
          <HardDrive className="size-4" />
        </span>
        <span className="sr-only">Whole on this device</span>
      </span>
    )
  return minutes > 0 ? <span className="whitespace-nowrap tabular-nums"> · {minutes} min ahead</span> : null
}
