import { counted } from '@fellowship/schema/counted'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { giveUp, keep, sendNow, unsentWork, type UnsentWork } from './unsent-work.ts'

interface SignOutDialogProps {
  userId: number
  work: UnsentWork
  onCancel: () => void
  /** What waits was sent, is kept, or was given up: now one may go. */
  onSettled: () => void
}

/** Nobody leaves work behind without a word on what should become of it. */
export function SignOutDialog({ userId, work, onCancel, onSettled }: SignOutDialogProps) {
  const [left, setLeft] = useState(work)
  const [pending, setPending] = useState(false)
  const [failed, setFailed] = useState(false)
  const during = async (steps: () => Promise<boolean>) => {
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
    during(async () => {
      await sendNow()
      const now = await unsentWork(userId)
      setLeft(now)
      const isAllSent = now.changes === 0 && now.uploads === 0
      setFailed(!isAllSent)
      return isAllSent
    })
  const words = [
    left.changes > 0 && counted(left.changes, 'change'),
    left.uploads > 0 && counted(left.uploads, 'upload'),
  ]
    .filter(Boolean)
    .join(' and ')
  return (
    <Dialog
      title="Before you sign out"
      description={`On this device ${left.changes + left.uploads === 1 ? 'waits' : 'wait'} ${words} of yours that the library does not have yet.`}
      width="narrow"
      closable={!pending}
      onClose={onCancel}
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
          onClick={() => void during(() => keep(userId).then(() => true))}
        >
          Keep on this device for me
        </Button>
        <Button
          kind="danger"
          disabled={pending}
          onClick={() => void during(() => giveUp(userId).then(() => true))}
        >
          Discard {words}
        </Button>
        <Button kind="quiet" disabled={pending} onClick={onCancel}>
          Stay signed in
        </Button>
      </div>
    </Dialog>
  )
}
