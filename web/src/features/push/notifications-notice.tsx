import { pushTexts } from '@fellowship/schema/push/push.texts'
import { useState } from 'react'
import { showToast } from '../../ui/toast.ts'
import { Button } from '../../ui/button.tsx'
import { useDeviceQuery } from '../sync/use-device-query.ts'
import { Notice } from '../sync/notices.tsx'
import { readChoice, turnOff } from './push.device.ts'

/**
 * Ends the notifications of this device in one tap, on a page that a notification opened: on an iPhone they have no
 * buttons.
 */
export function NotificationsNotice({ onClose }: { onClose: () => void }) {
  const choice = useDeviceQuery(() => readChoice(), [], undefined)
  const [pending, setPending] = useState(false)
  if (choice === undefined && !pending) return null
  const stop = async () => {
    setPending(true)
    await turnOff()
    showToast({ title: pushTexts.stopped })
    onClose()
  }
  return (
    <Notice
      title={pushTexts.told.title}
      onClose={onClose}
      actions={
        <Button kind="secondary" pending={pending} onClick={() => void stop()}>
          {pushTexts.stop}
        </Button>
      }
    >
      {pushTexts.told.description}
    </Notice>
  )
}
