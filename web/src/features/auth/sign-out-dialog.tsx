import { counted } from '@fellowship/schema/counted'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { discardWork, parkWork, sendNow, unsentWork, type UnsentWork } from './unsent-work.ts'

interface SignOutDialogProps {
  userId: number
  work: UnsentWork
  onClose: () => void
  /** The work was sent, parked or discarded; the sign-out may proceed. */
  onSettled: () => void
}

/** Asks before the sign-out whether to send, park or discard unsent work. */
export function SignOutDialog({ userId, work, onClose, onSettled }: SignOutDialogProps) {
  const [unsent, setUnsent] = useState(work)
  const [pending, setPending] = useState(false)
  const [failed, setFailed] = useState(false)
  const run = async (steps: () => Promise<boolean>) => {
    setPending(true)
    setFailed(false)
    try {
      if (await steps()) onSettled()
    } catch {
      setFailed(true)
    }
    setPending(false)
  }
  const send = () =>
    run(async () => {
      await sendNow()
      const now = await unsentWork(userId)
      setUnsent(now)
      const isAllSent = now.changes === 0 && now.uploads === 0
      setFailed(!isAllSent)
      return isAllSent
    })
  const words = [
    unsent.changes > 0 && counted(unsent.changes, 'change'),
    unsent.uploads > 0 && counted(unsent.uploads, 'upload'),
  ]
    .filter(Boolean)
    .join(' and ')
  return (
    <Dialog
      title="Before you sign out"
      description={`On this device ${unsent.changes + unsent.uploads === 1 ? 'waits' : 'wait'} ${words} of yours that the library does not have yet.`}
      width="narrow"
      closable={!pending}
      onClose={onClose}
    >
      {failed && (
        <p role="alert" className="mt-4 text-small font-medium text-brick">
          Not everything could be sent. Keep it on this device, or try again when you have signal.
        </p>
      )}
      <div className="mt-6 flex flex-col gap-3">
        <Button data-autofocus pending={pending} onClick={() => void send()}>
          Send, then sign out
        </Button>
        <Button
          kind="secondary"
          disabled={pending}
          onClick={() => void run(() => parkWork(userId).then(() => true))}
        >
          Keep on this device
        </Button>
        <Button
          kind="danger"
          disabled={pending}
          onClick={() => void run(() => discardWork(userId).then(() => true))}
        >
          Discard {words}
        </Button>
        <Button kind="quiet" disabled={pending} onClick={onClose}>
          Stay signed in
        </Button>
      </div>
    </Dialog>
  )
}
