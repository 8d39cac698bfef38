import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { sendListening } from './unsent-work.ts'

interface ListeningDialogProps {
  userId: number
  onClose: () => void
  onChosen: (stays: boolean) => void
}

/** Asks at sign-out whether a person's listening, which is synced with the account, stays on this device. */
export function ListeningDialog({ userId, onClose, onChosen }: ListeningDialogProps) {
  const [pending, setPending] = useState(false)
  const [unsent, setUnsent] = useState(0)
  const remove = async () => {
    // The second press confirms the loss that the dialog has shown.
    if (unsent > 0) return onChosen(false)
    setPending(true)
    const waiting = await sendListening(userId).catch(() => 0)
    setPending(false)
    if (waiting === 0) onChosen(false)
    else setUnsent(waiting)
  }
  return (
    <Dialog
      title={texts.signOutTitle}
      description={texts.signOutQuestion}
      width="narrow"
      closable={!pending}
      onClose={onClose}
    >
      {unsent > 0 && (
        <p role="alert" className="mt-4 text-small font-medium text-brick">
          {texts.wouldBeLost(unsent)}
        </p>
      )}
      <div className="mt-6 flex flex-col gap-3">
        <Button data-autofocus disabled={pending} onClick={() => onChosen(true)}>
          Let it stay, and sign out
        </Button>
        <Button
          kind={unsent > 0 ? 'danger' : 'secondary'}
          pending={pending}
          pendingLabel="Sending…"
          onClick={() => void remove()}
        >
          Remove it from this device, and sign out
        </Button>
        <Button kind="quiet" disabled={pending} onClick={onClose}>
          Stay signed in
        </Button>
      </div>
    </Dialog>
  )
}
