import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { outboxTexts } from '@fellowship/schema/sync/outbox.texts'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.ts'

/** Syncs now, and toasts the result. */
export function SyncButton() {
  const [pending, setPending] = useState(false)
  const sync = async () => {
    setPending(true)
    try {
      const { synchronize } = await import('./teachings.device.ts')
      const waiting = await synchronize()
      showToast({ title: waiting === 0 ? teachingTexts.synchronized : outboxTexts.stillWaiting(waiting) })
    } catch (error) {
      showToast({ title: teachingTexts.syncFailed, description: sentenceOfError(error), kind: 'destructive' })
    } finally {
      setPending(false)
    }
  }
  return (
    <Button
      kind="quiet"
      className="-mr-[min(0.75rem,3vw)] px-[min(0.75rem,3vw)]! text-small!"
      pending={pending}
      onClick={() => void sync()}
    >
      {!pending && <RefreshCw aria-hidden="true" className="size-4" />}
      Sync
    </Button>
  )
}
