/** Where calls go: the browser's own by default; a test or the bench hands in another. */
export interface Transport {
  fetch: typeof fetch
  /** Prefix of every path, without a closing slash. */
  base: string
}

export const browserTransport: Transport = { fetch: (...input) => fetch(...input), base: '' }
