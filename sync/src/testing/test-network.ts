import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import type { Transport } from '../call/call.ts'
import { encodeCursor } from '../protocol/cursor.ts'
import type { TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { pageTag } from '../protocol/page-tag.ts'
import { readPage } from '../server/change-feed.ts'
import type { MemoryServer, Mutation } from './memory-server.ts'

/** What goes wrong with one exchange. */
export type Fault =
  | 'none'
  | 'lost request'
  | 'lost answer'
  | 'cut answer'
  | 'asked twice'
  | 'bad gateway'
  | 'overloaded'
  | 'session ended'

export const faults: readonly Fault[] = [
  'none',
  'lost request',
  'lost answer',
  'cut answer',
  'asked twice',
  'bad gateway',
  'overloaded',
  'session ended',
]

export interface NetworkOptions {
  /** Asked for each request. */
  fault?: () => Fault
  /** Delays an answer that is already made. */
  hold?: () => Promise<void>
  /** Whose session the device's cookie is. */
  user?: () => number | undefined
  device?: string
  /** Sees every mutation that arrives, with what the server says to it. */
  onMutation?: (mutation: Mutation, status: number) => Promise<void>
}

/** A line to the memory server through which every exchange may go wrong. */
export function testNetwork(server: MemoryServer, options: NetworkOptions = {}): Transport {
  const { fault = () => 'none', hold } = options
  const exchange: typeof fetch = async (input, init) => {
    const address = new URL(input as string)
    if (address.pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
    const now = fault()
    if (now === 'lost request') throw new TypeError('Failed to fetch')
    if (now === 'bad gateway') return new Response('<html>502 Bad Gateway</html>', { status: 502 })
    if (now === 'overloaded') return refusal(503, 'unavailable')
    const isPull = address.pathname === '/api/sync'
    if (now === 'session ended' && !isPull) return refusal(401, 'unauthorized')
    const ask = () =>
      isPull ? pullAnswer(server, address, init) : mutationAnswer(server, address, init, options)
    if (now === 'asked twice') await ask()
    const response = await ask()
    await hold?.()
    if (now === 'lost answer') throw new TypeError('Failed to fetch')
    if (now === 'cut answer' && response.status === 200) {
      const text = await response.text()
      return new Response(text.slice(0, text.length >> 1), { status: 200 })
    }
    return response
  }
  return { base: 'http://server.test', fetch: exchange }
}

async function pullAnswer(
  server: MemoryServer,
  { searchParams }: URL,
  init: RequestInit | undefined,
): Promise<Response> {
  const since = searchParams.get('since') ?? undefined
  const limit = searchParams.has('limit') ? Number(searchParams.get('limit')) : undefined
  const tag = pageTag(encodeCursor(server.data.clock), since, clientSchema)
  if (new Headers(init?.headers).get('if-none-match') === tag) return new Response(null, { status: 304 })
  const page = await readPage(server, { since, limit }, new Date(0))
  return new Response(JSON.stringify(page), { headers: { etag: tag, 'content-type': 'application/json' } })
}

async function mutationAnswer(
  server: MemoryServer,
  address: URL,
  init: RequestInit | undefined,
  { user, device = '', onMutation }: NetworkOptions,
): Promise<Response> {
  const userId = user?.()
  if (userId === undefined) return refusal(401, 'unauthorized')
  const form = init?.body instanceof FormData ? Object.fromEntries(init.body) : {}
  const { baseRev, ...text } = form as Record<string, string>
  const revision = baseRev ?? address.searchParams.get('baseRev')
  const mutation: Mutation = {
    mutationId: new Headers(init?.headers).get('idempotency-key')!,
    teachingId: Number(address.pathname.split('/').at(-1)),
    op: init?.method === 'DELETE' ? 'delete' : 'edit',
    text: text as unknown as TeachingText,
    baseRev: revision === null ? undefined : Number(revision),
    requestHash: `${init?.method} ${address.pathname} ${JSON.stringify(form)}`,
    userId,
    device,
  }
  const { status, body } = server.mutate(mutation)
  await onMutation?.(mutation, status)
  return Response.json(body, { status })
}

const refusal = (status: number, code: string) =>
  Response.json({ success: false, error: code, code }, { status })
