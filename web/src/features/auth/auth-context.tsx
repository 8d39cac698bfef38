import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { deferUntilInteraction, preloadCalls, whenContentPainted } from '../../boot/phases.ts'
import { isFirstMember, isFirstVisitor } from '../../boot/prerender-data.ts'
import { readStored } from '../../lib/site-storage.ts'
import { type AuthState, type WatchCurrentUser, userKey } from './auth-state.ts'

type ProbableUser = Partial<Pick<CurrentUser, 'id' | 'role'>>

const AuthContext = createContext<AuthState | null>(null)
const loading: AuthState = { status: 'loading', user: null, registrationOpen: false }
const anonymous: AuthState = { ...loading, status: 'known' }
/** If the server rendered the page without a session, no request is needed. */
const initialState = () => (isFirstVisitor() ? anonymous : loading)

/** Provides the signed-in user. The code that requests it from the server loads after the first paint. */
export function AuthProvider({ children, load = loadWatch }: AuthProviderProps) {
  const [state, setState] = useState(initialState)
  useEffect(() => {
    let unmounted = false
    let stop: (() => void) | undefined
    load().then(
      (watch) => {
        if (!unmounted) stop = watch(setState)
      },
      // If the code fails to load, the page works as for an anonymous visitor.
      () => setState(anonymous),
    )
    return () => {
      unmounted = true
      stop?.()
    }
  }, [load])
  return <AuthContext value={state}>{children}</AuthContext>
}

/**
 * The signed-in user.
 *
 * @throws Error outside the provider
 */
export function useAuth(): AuthState {
  const state = use(AuthContext)
  if (!state) throw new Error('useAuth must be used within an AuthProvider')
  return state
}

/**
 * The id of the user who saves something.
 *
 * @throws Error if no user is signed in: the buttons that save are disabled then
 */
export function signedIn(user: AuthState['user']): number {
  if (!user) throw new Error('No user is signed in')
  return user.id
}

/**
 * The signed-in user; while it is loading, the last user of this device, or an empty user if the server rendered the page with
 * a session. It prevents layout shifts and grants nothing.
 */
export function useProbableUser(): ProbableUser | null {
  const { status, user } = useAuth()
  const [probable] = useState(probableUser)
  return status === 'loading' ? probable : user
}

/** Whether to reserve room for parts that only signed-in users see. */
export const useRoomForMember = (): boolean => useProbableUser() !== null

interface AuthProviderProps {
  children: ReactNode
  load?: () => Promise<WatchCurrentUser>
}

const loadWatch = async (): Promise<WatchCurrentUser> => {
  await deferUntilInteraction()
  await whenContentPainted()
  await preloadCalls()
  return (await import('./auth.queries.ts')).watchCurrentUser
}

/** A page that the server rendered with a session is hydrated as it was rendered: without what only this device knows. */
const probableUser = (): ProbableUser | null =>
  isFirstMember() ? {} : ((readStored(userKey) as ProbableUser | undefined) ?? null)
