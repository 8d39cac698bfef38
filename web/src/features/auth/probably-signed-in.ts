import { isFirstMember } from '../../boot/prerender-data.ts'
import { userKey } from './user-key.ts'

/**
 * A guess before the server answers: a user is signed in if the server rendered the page with a session, or if one was
 * signed in on this device last.
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
