/**
 * Resolves when the page is painted, or handed to what paints it: that runs in other threads, and tells late on a busy
 * device.
 */
export function firstPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    if (!PerformanceObserver.supportedEntryTypes.includes('paint')) return
    const observer = new PerformanceObserver(() => {
      observer.disconnect()
      resolve()
    })
    observer.observe({ type: 'paint', buffered: true })
  })
}
