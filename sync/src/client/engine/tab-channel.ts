/** On this channel an update asks all players, of this tab too, to end their requests to the service worker. */
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
