import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { useLogout } from './auth.queries.ts'

/** Signs out and goes to / (SPEC §2). The icon is the caller's. */
export function SignOutButton({ onSignedOut, children }: { onSignedOut: () => void; children?: ReactNode }) {
  const navigate = useNavigate()
  const signOut = useLogout()
  const onClick = () =>
    signOut.mutate(undefined, {
      onSuccess: () => {
        onSignedOut()
        void navigate({ to: '/' })
      },
    })
  return (
    <Button kind="secondary" onClick={onClick} pending={signOut.isPending} pendingLabel="Signing Out...">
      {children}
      Sign Out
    </Button>
  )
}
