import { heldTexts } from '@fellowship/schema/sync/held.texts'
import { type ReactNode, useState } from 'react'
import { useAuth } from '../features/auth/auth-context.tsx'
import { useDeviceSync } from '../features/sync/use-device-sync.ts'
import { useStore } from '../lib/lazy-store.ts'
import { Button } from '../ui/button.tsx'
import { heldDialogs, ObstacleContext } from '../ui/held-dialog.ts'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'

const SignInPanel = lazyPart(() => import('../features/auth/sign-in-panel.tsx'), 'SignInPanel', asDialog)

/** The open dialogs over rows. They stay while another page is shown, and when the session ends. */
export function HeldDialogs(): ReactNode {
  return useStore(heldDialogs).map(({ id, dialog }) => <Held key={id}>{dialog}</Held>)
}

function Held({ children }: { children: ReactNode }) {
  const { status, user } = useAuth()
  const trouble = useDeviceSync()?.trouble
  const [wasSignedIn] = useState(user !== null)
  const isSignedOut = wasSignedIn && status === 'known' && user === null
  const notice =
    trouble === 'outdated' || trouble === 'older' ? (
      <CannotSave trouble={trouble} />
    ) : isSignedOut ? (
      <SignedOut />
    ) : undefined
  return <ObstacleContext value={{ notice }}>{children}</ObstacleContext>
}

function SignedOut() {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <Notice sentence={heldTexts.signedOut}>
      <Button kind="secondary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Sign In
      </Button>
      {open && <SignInPanel overDialog onClose={close} onSignedIn={close} />}
    </Notice>
  )
}

function CannotSave({ trouble }: { trouble: 'outdated' | 'older' }) {
  return (
    <Notice sentence={heldTexts[trouble]}>
      {trouble === 'outdated' && (
        <Button kind="secondary" onClick={() => location.reload()}>
          Reload
        </Button>
      )}
    </Notice>
  )
}

/** Why the form cannot be saved now, and the way out. */
function Notice({ sentence, children }: { sentence: string; children: ReactNode }) {
  return (
    <div className="mt-5 flex flex-col items-start gap-3 rounded-card border border-line bg-wheat-tint p-4">
      <p role="alert" className="text-small text-ink">
        {sentence}
      </p>
      {children}
    </div>
  )
}
