import type { IncomingMessage } from 'node:http'
import { Problem } from '@fellowship/schema/problem'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../machine/origin.ts'

/**
 * The refusal of a request by its Host header: more than one, or none since HTTP/1.1 (RFC 9112 3.2), and with PUBLIC_URL
 * any other name. The machine itself may ask by any of its loopback names, and health checks by whatever address they
 * know.
 */
export function hostRefusal({ publicUrl }: Pick<Config, 'publicUrl'>) {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  return ({ rawHeaders, headers, httpVersion }: IncomingMessage, pathname: string): Problem | undefined => {
    const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
    if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
      return new Problem('invalid_input', 'Send one Host header.')
    if (publicHost === undefined || pathname.startsWith('/api/health/')) return undefined
    const host = headers.host?.toLowerCase()
    if (host === publicHost || isLoopback(host)) return undefined
    return new Problem('wrong_host', `This server does not answer for this name. Its address is ${publicUrl}`)
  }
}
