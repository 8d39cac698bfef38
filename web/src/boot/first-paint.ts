/**
 * Resolves when the page is handed to what paints it. The browser's own report of the paint comes later on a busy device, as
 * it comes from other threads.
 */
export const firstPaint = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
