import { useNavigate } from '@tanstack/react-router'
import { lazy, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { useAuth } from './auth-context.tsx'
import { useLogout } from './auth.queries.ts'
import type { UnsentWork } from './unsent-work.ts'

const SignOutDialog = lazy(() => import('./sign-out-dialog.tsx').then((m) => ({ default: m.SignOutDialog })))

/** Signs out and goes to /. Where the outbox or the upload queue is not empty, a dialog asks first. */
export function SignOutButton({ onSignedOut, children }: { onSignedOut: () => void; children?: ReactNode }) {
  const { user } = useAuth()
  const navigate = useNavigate()
  const signOut = useLogout()
  const [work, setWork] = useState<UnsentWork>()
  const leave = async () => {
    const resume = user && (await pauseQueues(user.id))
    // mutateAsync, as the callbacks of `mutate` are dropped when the card unmounts.
    await signOut.mutateAsync().catch((error: unknown) => {
      resume?.()
      throw error
    })
    onSignedOut()
    await navigate({ to: '/' })
  }
  const onClick = async () => {
    const unsent = user && (await readUnsentWork(user.id))
    if (unsent && unsent.changes + unsent.uploads > 0) setWork(unsent)
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
      <LazyPart onFailed={() => setWork(undefined)}>
        {work && user && (
          <SignOutDialog
            userId={user.id}
            work={work}
            onCancel={() => setWork(undefined)}
            onSettled={() => {
              setWork(undefined)
              void leave().catch(shownByToast)
            }}
          />
        )}
      </LazyPart>
    </>
  )
}

/** Undefined where the code fails to load: offline, signing out fails anyway and says so. */
const readUnsentWork = (userId: number) =>
  import('./unsent-work.ts').then(
    ({ unsentWork }) => unsentWork(userId),
    () => undefined,
  )

const pauseQueues = (userId: number) =>
  import('./unsent-work.ts').then(
    (module) => module.pauseQueues(userId),
    () => undefined,
  )

const shownByToast = () => undefined
