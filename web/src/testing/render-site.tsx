import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { act, render } from '@testing-library/react'
import { AudioElementProvider } from '../features/audio/player/audio-element.tsx'
import { AuthProvider } from '../features/auth/auth-context.tsx'
import type { AuthState } from '../features/auth/auth-state.ts'
import { makeRouter } from '../router.tsx'
import { heldDialogs } from '../ui/held-dialog.ts'
import { Toaster } from '../ui/toaster.tsx'

interface Site {
  /** The current address: path and query. */
  address: () => string
  /** Navigates within the tab. */
  goTo: (address: string) => Promise<void>
  /** Changes the signed-in user. */
  setUser: (user: CurrentUser | null) => Promise<void>
}

/**
 * Renders the whole site at an address.
 *
 * @param user the signed-in user; 'loading' while the server has not answered; 'ask' requests it from the test server
 */
export function renderSite(address: string, user: CurrentUser | null | 'loading' | 'ask' = null): Site {
  // Those that an earlier test left open.
  heldDialogs.set([])
  let notify: ((state: AuthState) => void) | undefined
  const router = makeRouter(createMemoryHistory({ initialEntries: [address] }))
  const load = async () => (onChange: (state: AuthState) => void) => {
    notify = onChange
    if (user !== 'ask') onChange(stateOf(user))
    return () => undefined
  }
  render(
    <AuthProvider {...(user !== 'ask' && { load })}>
      <AudioElementProvider>
        <RouterProvider router={router} />
      </AudioElementProvider>
      <Toaster />
    </AuthProvider>,
  )
  return {
    address: () => router.state.location.href,
    goTo: (next) => act(async () => router.history.push(next)),
    setUser: (next) => act(async () => notify?.(stateOf(next))),
  }
}

const stateOf = (user: CurrentUser | null | 'loading'): AuthState =>
  user === 'loading'
    ? { status: 'loading', user: null, registrationOpen: false }
    : { status: 'known', user, registrationOpen: true }
