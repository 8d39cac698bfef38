/** One popover at a time: opening one closes the other. */
let close: (() => void) | undefined

/** Takes the place of the popover that is open; the returned function gives it up. */
export function takePlace(closeMine: () => void): () => void {
  if (close !== closeMine) close?.()
  close = closeMine
  return () => {
    if (close === closeMine) close = undefined
  }
}
