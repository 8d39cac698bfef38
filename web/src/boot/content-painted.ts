let resolvePainted: () => void

/** Resolves when the main content of the page is painted. */
export const contentPainted = new Promise<void>((resolve) => (resolvePainted = resolve))

/** A page that never marks its content delays other work by no more than this. */
const maxWaitMs = 500

/** Called by a page when its main content is rendered; resolves after the frame that paints it. */
export function markContentPainted(): void {
  requestAnimationFrame(() => setTimeout(resolvePainted))
}

/** Resolves when the main content is painted, after half a second at the latest. */
export const whenContentPainted = (): Promise<void> =>
  Promise.race([contentPainted, new Promise<void>((resolve) => setTimeout(resolve, maxWaitMs))])
