/** How calls are sent: the browser's fetch by default; tests and the benchmark pass their own. */
export interface Transport {
  fetch: typeof fetch
  /** Prefix of every path, without a trailing slash. */
  base: string
}

export const browserTransport: Transport = { fetch: (...input) => fetch(...input), base: '' }
