/** One popover at a time: opening one closes the other. */
let close: (() => void) | undefined

/** Closes the open popover and registers this one; the returned function unregisters it. */
export function takePlace(closeMine: () => void): () => void {
  if (close !== closeMine) close?.()
  close = closeMine
  return () => {
    if (close === closeMine) close = undefined
  }
}
