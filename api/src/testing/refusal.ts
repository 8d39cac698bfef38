import { expect } from 'vitest'
import { CallError } from '@fellowship/sync/call/call-error'

/** The error with which the server refuses a call; fails the test where the call succeeds or no answer came. */
export const refusal = (attempt: Promise<unknown>): Promise<CallError> =>
  attempt.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => (error instanceof CallError ? error : expect.fail(String(error))),
  )
