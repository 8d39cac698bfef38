import { promises as dns } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The name of an endpoint leads into a private network: its subscriber wanted this server to look in there. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress'
}

interface LookupOptions {
  /** Name servers; those of the system unless given. */
  servers?: readonly string[]
  deadlineMs?: number
}

/**
 * Resolves names that strangers choose, without addresses of private networks. The system's own resolver waits up to 30 seconds
 * for a silent name server, in one of the few threads that files and other names need; this one needs no thread.
 * It is called at every connection: a name may lead elsewhere later.
 */
export function publicLookup({ servers, deadlineMs = 5_000 }: LookupOptions = {}): LookupFunction {
  const answer = async (...[hostname, options, callback]: Parameters<LookupFunction>) => {
    const found = await resolve(hostname, servers, deadlineMs).catch((error: Error) => error)
    const [first] = Array.isArray(found) ? found : []
    if (!Array.isArray(found)) callback(found, '')
    else if (options.all) callback(null, found)
    else callback(null, first!.address, first!.family)
  }
  return (...question) => void answer(...question)
}

/** @throws PrivateAddress, or the resolver's error */
async function resolve(
  hostname: string,
  servers: readonly string[] | undefined,
  deadlineMs: number,
): Promise<LookupAddress[]> {
  if (/(?:^|\.)localhost\.?$/i.test(hostname)) throw leadsInside(hostname)
  const resolver = new dns.Resolver({ timeout: deadlineMs / 2, tries: 2 })
  if (servers) resolver.setServers(servers)
  const late = setTimeout(() => resolver.cancel(), deadlineMs)
  try {
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = found.flatMap((answer, at) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 }))
        : [],
    )
    if (addresses.length === 0) throw (found[0] as PromiseRejectedResult).reason as Error
    const open = addresses.filter(({ address }) => isPublicAddress(address))
    if (open.length === 0) throw leadsInside(hostname)
    return open
  } finally {
    clearTimeout(late)
  }
}

const leadsInside = (hostname: string) => new PrivateAddress(`${hostname} leads into a private network.`)

/** Whether an address belongs to the public network, also if IPv6 carries an IPv4 one. */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || !privateRanges.some((range) => parsed.match(range))
}

/** Site-local addresses of before (RFC 3879), and IPv4 ones of a network's own translation (RFC 8215). */
const privateRanges = ['fec0::/10', '64:ff9b:1::/48'].map((range) => ipaddr.parseCIDR(range))
