import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { act, render } from '@testing-library/react'
import { AudioElementProvider } from '../features/audio/player/audio-element.tsx'
import { AuthProvider } from '../features/auth/auth-context.tsx'
import type { AuthState } from '../features/auth/auth-state.ts'
import { makeRouter } from '../router.tsx'
import { Toaster } from '../ui/toaster.tsx'

interface Site {
  /** Where the browser is: path and query. */
  address: () => string
  /** Somebody follows a link to it, in the same tab. */
  goTo: (address: string) => Promise<void>
  /** Somebody signs in or out. */
  become: (user: CurrentUser | null) => Promise<void>
}

/**
 * The whole site at an address, for somebody whom the server would know; 'loading' while it has not said. 'ask' asks
 * the test's server as the product does.
 */
export function renderSite(address: string, user: CurrentUser | null | 'loading' | 'ask' = null): Site {
  let tell: ((state: AuthState) => void) | undefined
  const router = makeRouter(createMemoryHistory({ initialEntries: [address] }))
  const load = async () => (onChange: (state: AuthState) => void) => {
    tell = onChange
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
    become: (next) => act(async () => tell?.(stateOf(next))),
  }
}

const stateOf = (user: CurrentUser | null | 'loading'): AuthState =>
  user === 'loading'
    ? { status: 'loading', user: null, registrationOpen: false }
    : { status: 'known', user, registrationOpen: true }
