import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { CallError } from '@fellowship/sync/call/call-error'
import { showToast } from '../ui/toast.ts'
import { signInAddress, signInRedirectMs } from './sign-in-address.ts'

/** Whether the session has ended. A wrong password is a 401 too, but another code. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof CallError &&
  error.code !== 'invalid_credentials' &&
  (error.status === 401 || error.sentence === 'Unauthorized')

/** After a mutation refused with 401: a toast, then the sign-in, which returns to this page. */
export function handleUnauthorized(error: unknown): void {
  if (!isUnauthorized(error)) return
  showToast({ ...authTexts.unauthorized, kind: 'destructive' })
  setTimeout(() => location.assign(signInAddress()), signInRedirectMs)
}
