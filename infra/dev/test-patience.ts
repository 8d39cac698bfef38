import { vi } from 'vitest'

/** The default timeout of a condition; vitest's second is too short on a busy machine. */
const timeout = Number(process.env['TEST_PATIENCE'] ?? 45_000)

// In a worker that runs several files they are the same, and wrapped once.
if (!('isPatient' in vi)) {
  const { waitFor, waitUntil } = vi
  const patiently = <Options extends { timeout?: number }>(options?: number | Options) =>
    typeof options === 'number' ? options : { timeout, ...options }
  Object.assign(vi, {
    isPatient: true,
    waitFor: ((check, options) => waitFor(check, patiently(options))) satisfies typeof waitFor,
    waitUntil: ((check, options) => waitUntil(check, patiently(options))) satisfies typeof waitUntil,
  })
}
