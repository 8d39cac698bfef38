import type { Transport } from '@fellowship/sync/call/call'

/** A transport for calls to a running product that stores cookies as a browser does. */
export function cookieTransport(base: string): Transport & { readonly cookies: Map<string, string> } {
  const cookies = new Map<string, string>()
  return {
    base,
    cookies,
    async fetch(input, init) {
      const headers = new Headers(init?.headers)
      if (cookies.size > 0) {
        headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
      }
      const response = await fetch(input, { ...init, headers })
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = line.split(';', 1)[0]!.split('=', 2)
        cookies.set(name.trim(), value.trim())
      }
      return response
    },
  }
}
