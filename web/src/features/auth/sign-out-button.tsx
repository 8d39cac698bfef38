import { useNavigate } from '@tanstack/react-router'
import { lazy, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { useAuth } from './auth-context.tsx'
import { useLogout } from './auth.queries.ts'
import type { UnsentWork } from './unsent-work.ts'

const SignOutDialog = lazy(() => import('./sign-out-dialog.tsx').then((m) => ({ default: m.SignOutDialog })))

/** Signs out and goes to / (SPEC §2); asks first where work would be left behind. The icon is the caller's. */
export function SignOutButton({ onSignedOut, children }: { onSignedOut: () => void; children?: ReactNode }) {
  const { user } = useAuth()
  const navigate = useNavigate()
  const signOut = useLogout()
  const [work, setWork] = useState<UnsentWork>()
  const leave = async () => {
    const goOn = user && (await atRest(user.id))
    // A promise, not a callback of `mutate`: that one is dropped when the signed-out card leaves the screen.
    await signOut.mutateAsync().catch((error: unknown) => {
      goOn?.()
      throw error
    })
    onSignedOut()
    await navigate({ to: '/' })
  }
  const onClick = async () => {
    const left = user && (await leftBehind(user.id))
    if (left && left.changes + left.uploads > 0) setWork(left)
    else await leave()
  }
  return (
    <>
      <Button
        kind="secondary"
        onClick={() => void onClick().catch(toldByToast)}
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
              void leave().catch(toldByToast)
            }}
          />
        )}
      </LazyPart>
    </>
  )
}

/** Undefined where its code does not come: without a line signing out fails anyway, and says so. */
const leftBehind = (userId: number) =>
  import('./unsent-work.ts').then(
    ({ unsentWork }) => unsentWork(userId),
    () => undefined,
  )

const atRest = (userId: number) =>
  import('./unsent-work.ts').then(
    ({ standStill }) => standStill(userId),
    () => undefined,
  )

const toldByToast = () => undefined
