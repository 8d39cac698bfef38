import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { CallError } from '@fellowship/sync/call/call-error'
import { showToast } from '../ui/toast.ts'
import { signInAddress, signInRedirectMs } from './sign-in-address.ts'

/** Whether the server said that nobody is signed in. A wrong password is a 401 too, but not this one. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof CallError &&
  error.code !== 'invalid_credentials' &&
  (error.status === 401 || error.sentence === 'Unauthorized')

/** SPEC §8: a change refused with 401 says so and leads to the sign-in, back to this page afterwards. */
export function handleUnauthorized(error: unknown): void {
  if (!isUnauthorized(error)) return
  showToast({ ...authTexts.unauthorized, kind: 'destructive' })
  setTimeout(() => location.assign(signInAddress()), signInRedirectMs)
}
