import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { useLogout } from './auth.queries.ts'

/** Signs out and goes to / (SPEC §2). The icon is the caller's. */
export function SignOutButton({ onSignedOut, children }: { onSignedOut: () => void; children?: ReactNode }) {
  const navigate = useNavigate()
  const signOut = useLogout()
  const onClick = async () => {
    // A promise, not a callback of `mutate`: that one is dropped when the signed-out card leaves the screen.
    await signOut.mutateAsync()
    onSignedOut()
    await navigate({ to: '/' })
  }
  return (
    <Button
      kind="secondary"
      onClick={() => void onClick().catch(toldByToast)}
      pending={signOut.isPending}
      pendingLabel="Signing Out..."
    >
      {children}
      Sign Out
    </Button>
  )
}

const toldByToast = () => undefined
