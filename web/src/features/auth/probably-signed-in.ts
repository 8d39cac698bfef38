import { isFirstMember } from '../../boot/prerender-data.ts'
import { userKey } from './user-key.ts'

/**
 * A guess, before the server has answered, whether a user is signed in: the server rendered the page with a session, or
 * a user was signed in on this device last.
 */
export function probablySignedIn(): boolean {
  if (isFirstMember()) return true
  try {
    return localStorage.getItem(userKey) !== null
  } catch {
    // localStorage is blocked.
    return false
  }
}
