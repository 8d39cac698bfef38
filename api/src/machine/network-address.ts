import { isIPv6 } from 'node:net'

/**
 * What limits count by: an IPv4 address, or the /64 of an IPv6 address, which one household has whole and could otherwise
 * change at will ('2001:db8:1:2::/64'). An IPv4-mapped IPv6 address counts as the IPv4 one.
 */
export function addressGroup(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv6(plain) ? `${firstHalf(plain)}::/64` : plain
}

function firstHalf(address: string): string {
  const [head = '', tail = ''] = address.toLowerCase().split('%')[0]!.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const middle = address.includes('::') ? Array<string>(8 - left.length - right.length).fill('0') : []
  const parts = [...left, ...middle, ...right].slice(0, 4)
  return parts.map((part) => part.replace(/^0+(?=.)/, '')).join(':')
}
