/**
 * For an effect: runs the function that `load` resolves to, which may return its own cleanup. Returns the cleanup of the
 * effect: if it is called while the code or value is still loading, nothing runs.
 */
export function runWhenLoaded(
  load: (isOver: () => boolean) => Promise<(() => (() => void) | void) | undefined>,
  onFailed: (error: unknown) => void = () => undefined,
): () => void {
  let isOver = false
  let end: (() => void) | void
  load(() => isOver).then((run) => {
    if (!isOver) end = run?.()
  }, onFailed)
  return () => {
    isOver = true
    end?.()
  }
}
