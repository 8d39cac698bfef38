import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { whenContentPainted } from '../../boot/content-painted.ts'
import { isFirstVisitor } from '../../boot/prerender-data.ts'
import { deferUntilInteraction } from '../../boot/first-interaction.ts'
import { callAhead } from '../../boot/preload.ts'
import type { AuthState, WatchCurrentUser } from './auth-state.ts'
import { probablySignedIn } from './probably-signed-in.ts'

const AuthContext = createContext<AuthState | null>(null)
const loading: AuthState = { status: 'loading', user: null, registrationOpen: false }
const nobody: AuthState = { ...loading, status: 'known' }
/** The server drew the page for a visitor: nobody waits to hear it again. */
const atFirst = () => (isFirstVisitor() ? nobody : loading)

/** Knows who is signed in. The part that asks the server comes after the first paint. */
export function AuthProvider({ children, load = loadWatch }: AuthProviderProps) {
  const [state, setState] = useState(atFirst)
  useEffect(() => {
    let left = false
    let stop: (() => void) | undefined
    load().then(
      (watch) => {
        if (!left) stop = watch(setState)
      },
      // The code itself could not be fetched: visitors go on reading as visitors.
      () => setState(nobody),
    )
    return () => {
      left = true
      stop?.()
    }
  }, [load])
  return <AuthContext value={state}>{children}</AuthContext>
}

/** Who is signed in. Outside of its provider this is a programming error, and says so. */
export function useAuth(): AuthState {
  const state = use(AuthContext)
  if (!state) throw new Error('useAuth must be used within an AuthProvider')
  return state
}

/**
 * Whether there is room for what only signed-in people see: somebody is, or, until that is known, probably is. It keeps
 * the page from moving under a finger, and decides about nothing else.
 */
export function useRoomForMember(): boolean {
  const { status, user } = useAuth()
  const [probable] = useState(probablySignedIn)
  return status === 'loading' ? probable : user !== null
}

interface AuthProviderProps {
  children: ReactNode
  load?: () => Promise<WatchCurrentUser>
}

const loadWatch = async (): Promise<WatchCurrentUser> => {
  await deferUntilInteraction()
  await whenContentPainted()
  await callAhead()
  return (await import('./auth.queries.ts')).watchCurrentUser
}
