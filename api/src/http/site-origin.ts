import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'

/**
 * The site's origin, for absolute addresses: PUBLIC_URL, else the request's Host header. An invalid host name never gets
 * into a page.
 */
export function siteOrigin({ publicUrl }: Pick<Config, 'publicUrl'>, request: IncomingMessage): string {
  if (publicUrl) return publicUrl
  const host = request.headers.host ?? ''
  return `http://${/^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(host) ? host : 'localhost'}`
}
