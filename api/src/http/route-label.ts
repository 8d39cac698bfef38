import { contract } from '@fellowship/schema/contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { pageLabel } from '@fellowship/schema/routes'

/** The declared path of an address, such as `/api/elders/:id`: few names, whatever is asked for. */
export function routeLabel(pathname: string): string {
  if (pathname.startsWith('/api/')) {
    if (plain.has(pathname)) return pathname
    return patterns.find(({ pattern }) => pattern.test(pathname))?.path ?? '/api/*'
  }
  const folder = /^\/(audio|images|assets|feeds)\//.exec(pathname)?.[1]
  if (folder) return `/${folder}/*`
  return files.has(pathname) ? pathname : (pageLabel(pathname) ?? 'other')
}

const files = new Set(['/feed.xml', '/sitemap.xml', '/robots.txt', '/service-worker.js'])
const paths = [
  ...new Set(
    Object.values(contract).flatMap((group) => Object.values<AnyEndpoint>(group).map(({ path }) => path)),
  ),
  '/api/uploads',
  '/api/uploads/:id',
]
const plain = new Set(paths.filter((path) => !path.includes(':')))
const patterns = paths
  .filter((path) => path.includes(':'))
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
  }))
