import { currentUser, type CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { userKey } from './user-key.ts'

/**
 * Stores the last signed-in user, so that a start offline finds that user's outbox. It grants nothing, as the server checks
 * every request.
 */
export function rememberUser(user: CurrentUser | null): void {
  try {
    if (user) localStorage.setItem(userKey, JSON.stringify(user))
    else localStorage.removeItem(userKey)
  } catch {
    // If localStorage is blocked, there is no outbox either.
  }
}

/** The stored user, or null. */
export function readRememberedUser(): CurrentUser | null {
  try {
    return currentUser.parse(JSON.parse(localStorage.getItem(userKey) ?? ''))
  } catch {
    return null
  }
}
