import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'

/** Who is signed in, as the screens read it. */
export interface AuthState {
  /** 'loading' until the server has answered. */
  status: 'loading' | 'known'
  user: CurrentUser | null
  registrationOpen: boolean
}

/** Calls `onChange` when the server has answered, and whenever the signed-in user changes; returns what ends it. */
export type WatchCurrentUser = (onChange: (state: AuthState) => void) => () => void
