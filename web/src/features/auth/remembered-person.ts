import { currentUser, type CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { personKey } from './person-key.ts'

/**
 * Who was signed in here last, for a start without a line: the work of that person is on this device, and the server,
 * which decides about everything, is not there to be asked.
 */
export function rememberPerson(user: CurrentUser | null): void {
  try {
    if (user) localStorage.setItem(personKey, JSON.stringify(user))
    else localStorage.removeItem(personKey)
  } catch {
    // A browser that keeps nothing has no work waiting either.
  }
}

export function rememberedPerson(): CurrentUser | null {
  try {
    return currentUser.parse(JSON.parse(localStorage.getItem(personKey) ?? ''))
  } catch {
    return null
  }
}
