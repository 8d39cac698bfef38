import { useState, type ReactNode } from 'react'
import { AuthProvider, useAuth } from '../features/auth/auth-context.tsx'
import { HeldDialogs } from '../layout/held-dialogs.tsx'
import { heldDialogs } from '../ui/held-dialog.ts'
import type { AuthState, WatchCurrentUser } from '../features/auth/auth-state.ts'

const member = { id: 7, name: 'Mere', email: 'mere@example.org', role: 'user' as const }

interface SignedInProps {
  user?: NonNullable<AuthState['user']>
  children: ReactNode
}

/** The view of a signed-in person. Rendered once the person is known, as pages do it, with the dialogs that are opened. */
export function SignedIn({ user = member, children }: SignedInProps) {
  // Those that an earlier test left open.
  useState(() => heldDialogs.set([]))
  const [load] = useState(() => async (): Promise<WatchCurrentUser> => (onChange) => {
    onChange({ status: 'known', user, registrationOpen: false })
    return () => undefined
  })
  return (
    <AuthProvider load={load}>
      <OnceKnown>{children}</OnceKnown>
      <HeldDialogs />
    </AuthProvider>
  )
}

const OnceKnown = ({ children }: { children: ReactNode }) => useAuth().user && children
