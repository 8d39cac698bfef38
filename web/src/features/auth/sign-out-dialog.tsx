import { counted } from '@fellowship/schema/counted'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { fileSize } from '../../lib/file-size.ts'
import { progressClass } from '../../ui/progress-class.ts'
import { discardWork, parkWork, sendAll, type Sending, type UnsentWork } from './unsent-work.ts'

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
  const [sending, setSending] = useState<Sending>()
  const waiting = useRef<AbortController>(undefined)
  useEffect(() => () => waiting.current?.abort(), [])
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
      const stop = (waiting.current = new AbortController())
      try {
        const left = await sendAll(userId, setSending, stop.signal)
        setUnsent(left)
        const isAllSent = left.changes === 0 && left.uploads === 0
        setFailed(!isAllSent && !stop.signal.aborted)
        return isAllSent && !stop.signal.aborted
      } finally {
        waiting.current = undefined
        setSending(undefined)
      }
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
      {sending && sending.total > 0 && (
        <div className="mt-5">
          <progress aria-label="Upload" value={sending.sent} max={sending.total} className={progressClass} />
          <p className="mt-1 text-small text-soft tabular-nums">
            {sending.sent > 0 && `${fileSize(sending.sent)} of `}
            {fileSize(sending.total)} {sending.sent > 0 ? 'sent' : 'to send'}
          </p>
        </div>
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
        {sending ? (
          <Button kind="quiet" onClick={() => waiting.current?.abort()}>
            Stop waiting
          </Button>
        ) : (
          <Button kind="quiet" disabled={pending} onClick={onClose}>
            Stay signed in
          </Button>
        )}
      </div>
    </Dialog>
  )
}
