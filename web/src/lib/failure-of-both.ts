/** Gathers what the server and the device's own copy say of a list, until it is shown. */
export interface FailureOfBoth {
  /** Rows are there: from now on no failure is said. */
  readonly shown: () => void
  /** The device's copy was read, and there is none. */
  readonly deviceHasNone: () => void
  /** The server could not be asked, or refused. */
  readonly serverFailed: (error: unknown) => void
}

/**
 * Says that a list cannot be had only once neither the device nor the server has it: without a line the server fails
 * sooner than a slow device has read the copy that it does have.
 */
export function failureOfBoth(say: (error: unknown) => void): FailureOfBoth {
  let isShown = false
  let isEmpty = false
  let failure: { error: unknown } | undefined
  const sayIfBoth = () => {
    if (!isShown && isEmpty && failure) say(failure.error)
  }
  return {
    shown: () => {
      isShown = true
    },
    deviceHasNone: () => {
      isEmpty = true
      sayIfBoth()
    },
    serverFailed: (error) => {
      failure = { error }
      sayIfBoth()
    },
  }
}
