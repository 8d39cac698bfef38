import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import type { Transport } from '../call/call.ts'
import { encodeCursor, pageTag } from '../protocol/cursor.ts'
import { readPage } from '../server/change-feed.ts'
import { answerWith, errorResponse, isServed, type Fault } from './faults.ts'
import type { MemoryRow, MemoryServer, Mutation } from './memory-server.ts'

export interface NetworkOptions {
  /** Called for each request. */
  fault?: () => Fault
  /** Delays a response that the server has already computed. */
  hold?: () => Promise<void>
  /** The user of the device's session. */
  user?: () => number | undefined
  device?: string
  /** Called with the idempotency key of each mutation that gets no success, before the device hears of it. */
  onFailure?: (key: string) => Promise<void>
  /** Called with every mutation that arrives, before it is judged. */
  onArrival?: (mutation: Mutation) => Promise<void>
  /** Called with every mutation that arrives, its response status, and the row it was applied to, as it was before. */
  onMutation?: (mutation: Mutation, status: number, before: MemoryRow | undefined) => Promise<void>
}

/** A transport to the in-memory server that injects faults. */
export function testNetwork(server: MemoryServer, options: NetworkOptions = {}): Transport {
  const { fault = () => 'none', hold } = options
  const fetchWithFaults = async (address: URL, init: RequestInit | undefined, injected: Fault) => {
    const isPull = address.pathname === '/api/sync'
    const answer = async (arrived: RequestInit) => {
      const response = await (isPull
        ? pullResponse(server, address, arrived)
        : mutationResponse(server, address, arrived, options))
      await hold?.()
      return response
    }
    // The public feed has neither session nor token.
    const isOfSession = injected === 'session ended' || injected === 'token refused'
    return answerWith(isPull && isOfSession ? 'none' : injected, init ?? {}, answer)
  }
  const fetchAndReport: typeof fetch = async (input, init) => {
    const address = new URL(input as string)
    if (address.pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
    const key = new Headers(init?.headers).get('idempotency-key')
    const injected = fault()
    const response = await fetchWithFaults(address, init, injected).catch((error: unknown) => error as Error)
    if (key !== null && !isServed(response, injected)) await options.onFailure?.(key)
    if (response instanceof Response) return response
    throw response
  }
  return { base: 'http://server.test', fetch: fetchAndReport }
}

export async function pullResponse(
  server: MemoryServer,
  { searchParams }: URL,
  init: RequestInit | undefined,
): Promise<Response> {
  const since = searchParams.get('since') ?? undefined
  const limit = searchParams.has('limit') ? Number(searchParams.get('limit')) : undefined
  const tag = pageTag(encodeCursor(server.data.clock), since, clientSchema)
  if (new Headers(init?.headers).get('if-none-match') === tag) return new Response(null, { status: 304 })
  const page = await readPage(server, { since, limit, places: true }, new Date(0))
  return new Response(JSON.stringify(page), { headers: { etag: tag, 'content-type': 'application/json' } })
}

export async function mutationResponse(
  server: MemoryServer,
  address: URL,
  init: RequestInit | undefined,
  { user, device = '', onArrival, onMutation }: NetworkOptions,
): Promise<Response> {
  const userId = user?.()
  if (userId === undefined) return errorResponse(401, 'unauthorized')
  const mutation = { ...mutationOf(address, init), userId, device }
  await onArrival?.(mutation)
  const { status, body, before } = server.mutate(mutation)
  await onMutation?.(mutation, status, before)
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
