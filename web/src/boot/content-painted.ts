let tell: () => void
/** What people came for is on the screen. */
export const contentPainted = new Promise<void>((resolve) => (tell = resolve))

/** Until then at most, in milliseconds: a page that never tells holds nothing up for long. */
const patienceMs = 500

/** Told by the page when what people came for is on the screen. */
export function markContentPainted(): void {
  // After the frame in which it is drawn.
  requestAnimationFrame(() => setTimeout(tell))
}

/** What need not be there sooner waits for this. */
export const whenContentPainted = (): Promise<void> =>
  Promise.race([contentPainted, new Promise<void>((resolve) => setTimeout(resolve, patienceMs))])
