import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import type { Transport } from '../call/call.ts'
import { encodeCursor, pageTag } from '../protocol/cursor.ts'
import { readPage } from '../server/change-feed.ts'
import { answerWith, errorResponse, type Fault } from './faults.ts'
import type { MemoryRow, MemoryServer, Mutation } from './memory-server.ts'

/**
 * A transport to the feed of the in-memory server.
 *
 * @param options.hold delays an answer that the server has already computed
 */
export const testNetwork = (
  server: MemoryServer,
  { fault = () => 'none', hold }: { fault?: () => Fault; hold?: () => Promise<void> } = {},
): Transport => ({
  base: 'http://server.test',
  fetch: (input, init = {}) =>
    answerWith(fault(), init, async (arrived) => {
      const answer = await pullResponse(server, new URL(input as string), arrived)
      await hold?.()
      return answer
    }),
})

/** The session and the device that a mutation comes from. */
interface Sender {
  userId: number | undefined
  device: string
  /** Called with every mutation that arrives, before the server answers it. */
  onArrival: (mutation: Mutation) => Promise<void>
  /** Called with every mutation that arrives, its response status, and the row it was applied to, as it was before. */
  onMutation: (mutation: Mutation, status: number, before: MemoryRow | undefined) => Promise<void>
}

export async function pullResponse(
  server: MemoryServer,
  { searchParams }: URL,
  init: RequestInit | undefined,
  standard?: number,
): Promise<Response> {
  const since = searchParams.get('since') ?? undefined
  const limit = searchParams.has('limit') ? Number(searchParams.get('limit')) : standard
  const tag = pageTag(encodeCursor(server.data.clock), since, clientSchema)
  if (new Headers(init?.headers).get('if-none-match') === tag) return new Response(null, { status: 304 })
  const page = await readPage(server, { since, limit, places: true }, new Date(0))
  return new Response(JSON.stringify(page), { headers: { etag: tag, 'content-type': 'application/json' } })
}

export async function mutationResponse(
  server: MemoryServer,
  address: URL,
  init: RequestInit | undefined,
  { userId, device, onArrival, onMutation }: Sender,
): Promise<Response> {
  if (userId === undefined) return errorResponse(401, 'unauthorized')
  const mutation = { ...mutationOf(address, init), userId, device }
  await onArrival(mutation)
  const { status, body, before } = server.mutate(mutation)
  await onMutation(mutation, status, before)
  return Response.json(body, { status })
}

/** The change of a request, as the routes of the API read it. */
function mutationOf(address: URL, init: RequestInit | undefined): Omit<Mutation, 'userId' | 'device'> {
  const { pathname, searchParams } = address
  const isOfSeries = pathname.startsWith('/api/series')
  const json = typeof init?.body === 'string' ? init.body : '{}'
  const form = init?.body instanceof FormData ? Object.fromEntries(init.body) : (JSON.parse(json) as object)
  const { baseRev, uid, ...text } = form as Record<string, string>
  const revision = baseRev ?? searchParams.get('baseRev')
  const named = pathname.split('/').at(-1)!
  const ops = { POST: 'create', PUT: 'edit', DELETE: 'delete' } as const
  return {
    mutationId: new Headers(init?.headers).get('idempotency-key')!,
    kind: isOfSeries ? 'series' : 'teaching',
    teachingId: Number(named),
    op: ops[init?.method as keyof typeof ops],
    text,
    uid: uid ?? (isOfSeries ? named : (searchParams.get('uid') ?? undefined)),
    baseRev: revision === null ? undefined : Number(revision),
    requestHash: `${init?.method} ${pathname} ${JSON.stringify(form)}`,
  }
}
