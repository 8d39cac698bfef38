/** An iPhone or iPad whose page runs in the browser, not from the Home Screen. iPads identify as Macs, but with touch points. */
export function isAppleBrowserTab(): boolean {
  const apple =
    /iPhone|iPad|iPod/.test(navigator.userAgent) ||
    (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
  const standalone = 'standalone' in navigator && navigator.standalone === true
  return apple && !standalone && !matchMedia('(display-mode: standalone)').matches
}
