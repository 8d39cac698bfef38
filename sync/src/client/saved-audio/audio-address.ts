/** The hash in an address '/audio/<sha256>.<ext>', or undefined for any other. */
export function audioKeyOf(audioUrl: string | null): string | undefined {
  return /^\/audio\/([0-9a-f]{64})\.\w+$/.exec(audioUrl ?? '')?.[1]
}

/** The address at which the service worker serves a saved recording; it exists nowhere else. */
export const offlineAddress = (url: string): string => url.replace(/^\/audio\//, '/offline-audio/')
