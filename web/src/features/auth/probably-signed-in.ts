import { isFirstMember } from '../../boot/prerender-data.ts'
import { personKey } from './person-key.ts'

/**
 * Whether somebody will turn out to be signed in, as far as can be told before the server was asked: it saw a session
 * when it drew the page, or somebody was signed in here last.
 */
export function probablySignedIn(): boolean {
  if (isFirstMember()) return true
  try {
    return localStorage.getItem(personKey) !== null
  } catch {
    // A browser that keeps nothing remembers nobody.
    return false
  }
}
