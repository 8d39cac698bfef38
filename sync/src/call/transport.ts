/** How calls are sent: the browser's fetch by default; tests and the benchmark pass their own. */
export interface Transport {
  fetch: typeof fetch
  /** Prefix of every path, without a trailing slash. */
  base: string
  /** The transport whose session and CSRF token this one shares. */
  session?: Transport
}

export const browserTransport: Transport = { fetch: (...input) => fetch(...input), base: '' }
