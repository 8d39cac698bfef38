import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'

/** The signed-in user, as the screens read it. */
export interface AuthState {
  /** 'loading' until the server has answered. */
  status: 'loading' | 'known'
  user: CurrentUser | null
  registrationOpen: boolean
}

/**
 * Calls `onChange` when the server has answered, and whenever the signed-in user changes; returns a function that
 * unsubscribes.
 */
export type WatchCurrentUser = (onChange: (state: AuthState) => void) => () => void

/** The localStorage key of the user who was signed in last. */
export const userKey = 'signed-in'
