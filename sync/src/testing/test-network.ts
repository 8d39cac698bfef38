import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import type { Transport } from '../call/call.ts'
import { encodeCursor } from '../protocol/cursor.ts'
import { pageTag } from '../protocol/page-tag.ts'
import { readPage } from '../server/change-feed.ts'
import type { MemoryServer } from './memory-server.ts'

/** What goes wrong with one exchange. */
export type Fault =
  | 'none'
  | 'lost request'
  | 'lost answer'
  | 'cut answer'
  | 'asked twice'
  | 'bad gateway'
  | 'overloaded'

export const faults: readonly Fault[] = [
  'none',
  'lost request',
  'lost answer',
  'cut answer',
  'asked twice',
  'bad gateway',
  'overloaded',
]

/**
 * A line to the memory server through which every answer may go wrong. `fault` is asked for each request; `hold`,
 * where given, delays an answer that is already made.
 */
export function testNetwork(
  server: MemoryServer,
  { fault = () => 'none', hold }: { fault?: () => Fault; hold?: () => Promise<void> } = {},
): Transport {
  const fetchPage: typeof fetch = async (input, init) => {
    const now = fault()
    if (now === 'lost request') throw new TypeError('Failed to fetch')
    if (now === 'bad gateway') return new Response('<html>502 Bad Gateway</html>', { status: 502 })
    if (now === 'overloaded') return Response.json({ success: false, code: 'unavailable' }, { status: 503 })
    if (now === 'asked twice') await answer(server, String(input), init)
    const response = await answer(server, String(input), init)
    await hold?.()
    if (now === 'lost answer') throw new TypeError('Failed to fetch')
    if (now === 'cut answer' && response.status === 200) {
      const text = await response.text()
      return new Response(text.slice(0, text.length >> 1), { status: 200 })
    }
    return response
  }
  return { base: 'http://server.test', fetch: fetchPage }
}

async function answer(
  server: MemoryServer,
  address: string,
  init: RequestInit | undefined,
): Promise<Response> {
  const { searchParams } = new URL(address)
  const since = searchParams.get('since') ?? undefined
  const limit = searchParams.has('limit') ? Number(searchParams.get('limit')) : undefined
  const tag = pageTag(encodeCursor(server.data.clock), since, clientSchema)
  if (new Headers(init?.headers).get('if-none-match') === tag) return new Response(null, { status: 304 })
  const page = await readPage(server, { since, limit }, new Date(0))
  return new Response(JSON.stringify(page), { headers: { etag: tag, 'content-type': 'application/json' } })
}
