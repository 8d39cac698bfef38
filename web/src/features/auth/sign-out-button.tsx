import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'
import { useAuth } from './auth-context.tsx'
import { useLogout } from './auth.queries.ts'
import type { UnsentWork } from './unsent-work.ts'

const SignOutDialog = lazyPart(() => import('./sign-out-dialog.tsx'), 'SignOutDialog', asDialog)
const ListeningDialog = lazyPart(() => import('./listening-dialog.tsx'), 'ListeningDialog', asDialog)

/**
 * Signs out and navigates to /. If the outbox or the upload queue is not empty, a dialog asks first; another asks whether
 * listening that is synced with the account may stay on the device.
 */
export function SignOutButton({ onSignedOut, children }: { onSignedOut: () => void; children?: ReactNode }) {
  const { user } = useAuth()
  const navigate = useNavigate()
  const signOut = useLogout()
  const [work, setWork] = useState<UnsentWork>()
  const [asksListening, setAsksListening] = useState(false)
  const leave = async (removesListening = false) => {
    const resume = user && (await pauseQueues(user.id))
    // Before the session ends, so that none of it stays if the page is closed in between.
    const first = async () => {
      if (removesListening && user) await removeListening(user.id)
      if (user) await removePlayed(user.id)
    }
    // mutateAsync, because React Query drops the callbacks of `mutate` when the card unmounts.
    await signOut.mutateAsync(first).catch((error: unknown) => {
      resume?.()
      throw error
    })
    onSignedOut()
    await navigate({ to: '/' })
  }
  const onClick = async () => {
    const unsent = user && (await readUnsentWork(user.id))
    if (unsent && unsent.changes + unsent.uploads > 0) setWork(unsent)
    else await askListening()
  }
  const askListening = async () => {
    if (user && (await keepsListening(user.id))) setAsksListening(true)
    else await leave()
  }
  return (
    <>
      <Button
        kind="secondary"
        onClick={() => void onClick().catch(shownByToast)}
        pending={signOut.isPending}
        pendingLabel="Signing Out..."
      >
        {children}
        Sign Out
      </Button>
      {work && user && (
        <SignOutDialog
          userId={user.id}
          work={work}
          onClose={() => setWork(undefined)}
          onSettled={() => {
            setWork(undefined)
            void askListening().catch(shownByToast)
          }}
        />
      )}
      {asksListening && user && (
        <ListeningDialog
          userId={user.id}
          onClose={() => setAsksListening(false)}
          onChosen={(stays) => {
            setAsksListening(false)
            void leave(!stays).catch(shownByToast)
          }}
        />
      )}
    </>
  )
}

/** Undefined if the code fails to load: offline, the sign-out fails anyway and shows why. */
const readUnsentWork = (userId: number) =>
  import('./unsent-work.ts').then(
    ({ unsentWork }) => unsentWork(userId),
    () => undefined,
  )

const keepsListening = (userId: number) =>
  import('./unsent-work.ts').then((module) => module.keepsListening(userId)).catch(() => false)

const removeListening = async (userId: number) => (await import('./unsent-work.ts')).removeListening(userId)

/** If it fails, the budget takes them in time. */
const removePlayed = (userId: number) =>
  import('./unsent-work.ts').then((module) => module.removePlayed(userId)).catch(shownByToast)

const pauseQueues = (userId: number) =>
  import('./unsent-work.ts').then(
    (module) => module.pauseQueues(userId),
    () => undefined,
  )

const shownByToast = () => undefined
