import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'

/** Who is signed in, as the screens read it. */
export interface AuthState {
  /** Until the server has answered, nobody knows who this is. */
  status: 'loading' | 'known'
  user: CurrentUser | null
  registrationOpen: boolean
}

/** Tells every change of who is signed in; returns the way to stop listening. */
export type WatchCurrentUser = (onChange: (state: AuthState) => void) => () => void
