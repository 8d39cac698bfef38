import { currentUser, type CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { userKey } from './user-key.ts'

/**
 * Stores who was signed in last, for a start offline: that user's outbox is on this device. It grants nothing, as the
 * server checks every request.
 */
export function rememberUser(user: CurrentUser | null): void {
  try {
    if (user) localStorage.setItem(userKey, JSON.stringify(user))
    else localStorage.removeItem(userKey)
  } catch {
    // localStorage is blocked; then there is no outbox either.
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
