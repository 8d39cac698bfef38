/**
 * The path, query and hash of an address of this site, or undefined: `return` addresses come from outside, and one
 * that leads to another site (`//elsewhere`, `/\elsewhere`, `https:…`, `javascript:…`) must never be followed.
 */
export function ownPath(address: string | undefined, origin: string = location.origin): string | undefined {
  if (!address || !/^\/(?![/\\])/.test(address)) return undefined
  if (!URL.canParse(address, origin)) return undefined
  const url = new URL(address, origin)
  if (url.origin !== origin || url.pathname.startsWith('//') || url.pathname.startsWith('/api/'))
    return undefined
  return url.pathname + url.search + url.hash
}
