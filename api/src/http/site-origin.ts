import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'

/**
 * Where the site is, for addresses that must be whole: PUBLIC_URL, else what the request itself says. A host that is no
 * host name never gets into a page.
 */
export function siteOrigin({ publicUrl }: Pick<Config, 'publicUrl'>, request: IncomingMessage): string {
  if (publicUrl) return publicUrl
  const host = request.headers.host ?? ''
  return `http://${/^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(host) ? host : 'localhost'}`
}
