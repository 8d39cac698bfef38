/** The channel on which an update asks all players, of this tab too, to leave the service worker. */
export const handOverChannel = 'hand-over'

/**
 * A channel to the other tabs of this site. Undefined if there can be none: the browser has no such channel, or refuses
 * it together with cookies and site data. The tab then stands alone.
 */
export function openTabChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name)
  } catch {
    return undefined
  }
}
