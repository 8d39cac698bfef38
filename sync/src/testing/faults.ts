/** The fault injected into one request. */
export type Fault =
  | 'none'
  | 'lost request'
  | 'lost response'
  | 'truncated response'
  | 'cut request'
  | 'duplicated request'
  | 'hanging request'
  | 'hanging response'
  | 'bad gateway'
  | 'overloaded'
  | 'rate limited'
  | 'session ended'
  | 'token refused'
  | 'upgrade required'
  | 'foreign JSON'
  | 'foreign JSON, done'
  | 'foreign page'
  | 'foreign page, refused'
  | 'foreign page, not found'
  | 'empty answer'
  | 'damaged bytes'

export const faults: readonly Fault[] = [
  'none',
  'lost request',
  'lost response',
  'truncated response',
  'cut request',
  'duplicated request',
  'hanging request',
  'hanging response',
  'bad gateway',
  'overloaded',
  'rate limited',
  'session ended',
  'token refused',
  'upgrade required',
  'foreign JSON',
  'foreign JSON, done',
  'foreign page',
  'foreign page, refused',
  'foreign page, not found',
  'empty answer',
  'damaged bytes',
]

type Handle = (init: RequestInit) => Promise<Response>

/**
 * Answers a request with a fault: of the line, of the server, of a proxy, or of a captive portal in the server's place.
 *
 * @param handle the server's own answer
 */
export async function answerWith(fault: Fault, init: RequestInit, handle: Handle): Promise<Response> {
  const { signal } = init
  const instead = answersInstead[fault]
  if (instead) return instead()
  // The server keeps the bytes of a file that arrived, and no part of other bodies.
  if (fault === 'cut request' && init.body instanceof Uint8Array)
    await handle({ ...init, body: init.body.slice(0, init.body.length >> 1) as Uint8Array<ArrayBuffer> })
  if (fault === 'lost request' || fault === 'cut request') throw new TypeError('Failed to fetch')
  if (fault === 'hanging request') return hang(signal)
  if (fault === 'duplicated request') await handle(init)
  if (fault === 'damaged bytes') return damaged(init, handle)
  const response = await handle(init)
  if (fault === 'lost response') throw new TypeError('Failed to fetch')
  if (fault === 'hanging response') return hang(signal)
  // A proxy that answers by itself once the server has taken the request.
  if (fault === 'foreign JSON, done') return Response.json({ status: 'ok' })
  if (fault === 'truncated response' && response.status === 200) {
    const bytes = new Uint8Array(await response.arrayBuffer())
    // The length that was announced does not come.
    const { status, headers } = response
    return new Response(bytes.slice(0, Math.floor(bytes.length * 0.8)), { status, headers })
  }
  return response
}

/** Whether a true answer came: not a foreign one that looks like a success. */
export const isServed = (response: Response | Error, fault: Fault): boolean =>
  response instanceof Response && (response.ok || response.status === 304) && !wrongYeses.includes(fault)

const wrongYeses: readonly Fault[] = ['foreign JSON', 'foreign JSON, done', 'foreign page', 'empty answer']

/** A byte of a file is changed on its way; of text the line's own checks find that. */
async function damaged(init: RequestInit, handle: Handle): Promise<Response> {
  if (init.body instanceof Uint8Array) {
    const body = init.body.slice() as Uint8Array<ArrayBuffer>
    body[0]! ^= 1
    return handle({ ...init, body })
  }
  const response = await handle(init)
  if (!response.headers.has('content-length')) return response
  const bytes = new Uint8Array(await response.arrayBuffer())
  bytes[bytes.length >> 1]! ^= 1
  return new Response(bytes, { status: response.status, headers: response.headers })
}

export const errorResponse = (status: number, code: string, extra: object = {}): Response =>
  Response.json({ success: false, error: code, code, ...extra }, { status })

const page = (status: number) => new Response('<html>Sign in to the network of the motel.</html>', { status })

const answersInstead: Partial<Record<Fault, () => Response>> = {
  'bad gateway': () => page(502),
  overloaded: () => errorResponse(503, 'unavailable'),
  'rate limited': () => errorResponse(429, 'rate_limited', { retryAfter: 20 }),
  'session ended': () => errorResponse(401, 'unauthorized'),
  'token refused': () => errorResponse(403, 'csrf'),
  'upgrade required': () => errorResponse(426, 'upgrade_required'),
  'foreign JSON': () => Response.json({ status: 'ok' }),
  'foreign page': () => page(200),
  'foreign page, refused': () => page(403),
  'foreign page, not found': () => page(404),
  'empty answer': () => new Response(null, { status: 204 }),
}

/** Ends by its signal alone. */
const hang = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(new DOMException('The request was aborted.', 'AbortError'))
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end)
  })
