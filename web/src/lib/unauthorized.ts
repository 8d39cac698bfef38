import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { CallError } from '@fellowship/sync/call/call-error'
import { showToast } from '../ui/toast.ts'
import { isPageHeld } from './busy.ts'
import { signInAddress, signInRedirectMs } from './sign-in-address.ts'

/** Whether the session has ended. A wrong password is a 401 too, but another code. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof CallError &&
  error.code !== 'invalid_credentials' &&
  (error.status === 401 || error.sentence === 'Unauthorized')

/**
 * After a mutation refused with 401: a toast, then the sign-in, which returns to this page. If the page has unfinished work,
 * it stays, and asks for the signed-in user again: dialogs then offer to sign in over them.
 */
export function handleUnauthorized(error: unknown, refetchUser: () => void): void {
  if (!isUnauthorized(error)) return
  if (isPageHeld()) {
    showToast({ ...authTexts.signedOutHere, kind: 'destructive' })
    return refetchUser()
  }
  showToast({ ...authTexts.unauthorized, kind: 'destructive' })
  setTimeout(() => location.assign(signInAddress()), signInRedirectMs)
}
