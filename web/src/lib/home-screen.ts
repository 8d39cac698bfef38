/** An iPhone or iPad. iPads identify as Macs, but with touch points. */
const isApple = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

/** An iPhone or iPad whose page runs in a browser, not from the Home Screen. */
export function isAppleBrowserTab(): boolean {
  const standalone = 'standalone' in navigator && navigator.standalone === true
  return isApple() && !standalone && !matchMedia('(display-mode: standalone)').matches
}

/** The browser of an iPhone or iPad, for advice on its buttons; undefined for the window of another app, such as Facebook's. */
export function appleBrowser(): 'Chrome' | 'Firefox' | 'Edge' | 'Safari' | undefined {
  const { userAgent } = navigator
  if (userAgent.includes('CriOS/')) return 'Chrome'
  if (userAgent.includes('FxiOS/')) return 'Firefox'
  if (userAgent.includes('EdgiOS/')) return 'Edge'
  // Such a window names the engine, but no browser.
  return /Version\/[\d.]+.* Safari\//.test(userAgent) ? 'Safari' : undefined
}
