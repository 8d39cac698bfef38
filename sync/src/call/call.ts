import type { AnyEndpoint, AnswerOf, BodyOf, ParamsOf, QueryOf } from '@fellowship/schema/endpoint'
import { csrfToken, csrfTokenBefore, forgetCsrfToken } from './csrf.ts'
import { CallError, networkErrorOf, parseAnswer } from './call-error.ts'
import { browserTransport, type Transport } from './transport.ts'

export interface CallInput<E extends AnyEndpoint> {
  params?: ParamsOf<E>
  query?: QueryOf<E>
  /** Multipart calls send each defined member as a field. */
  body?: Partial<BodyOf<E>>
  /** Multipart parts that carry a file, by name. */
  files?: Record<string, File | Blob | undefined>
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Whether the request outlives the page; browsers allow 64 KiB of such bodies. */
  keepalive?: boolean
}

export { browserTransport, type Transport } from './transport.ts'

/**
 * Calls a declared endpoint and returns its parsed response. State-changing calls carry the CSRF token; when the server
 * rejects the token as stale, the call is retried once with a new one.
 *
 * @throws CallError on an error response, with its status, code and sentence
 * @throws NetworkError when no usable response came
 */
export async function call<E extends AnyEndpoint>(
  endpoint: E,
  input: CallInput<E> = {},
  transport: Transport = browserTransport,
): Promise<AnswerOf<E>> {
  try {
    return await send(endpoint, input, transport)
  } catch (error) {
    if (!(error instanceof CallError && error.code === 'csrf')) throw error
    forgetCsrfToken(transport)
    return send(endpoint, input, transport)
  }
}

/** Builds the path of a call, with parameters and query filled in. */
export function addressOf<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): string {
  const params = (input.params ?? {}) as Record<string, unknown>
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const query = new URLSearchParams(definedStrings(input.query ?? {})).toString()
  return query === '' ? path : `${path}?${query}`
}

async function send<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>, transport: Transport) {
  const headers: Record<string, string> = { accept: 'application/json', ...input.headers }
  if (endpoint.method !== 'GET') headers['x-csrf-token'] = await tokenFor(transport, input.signal)
  const init: RequestInit = { method: endpoint.method, headers, credentials: 'same-origin' }
  if (input.signal) init.signal = input.signal
  if (input.keepalive) init.keepalive = true
  if (endpoint.encoding === 'json') {
    headers['content-type'] = 'application/json'
    init.body = JSON.stringify(input.body ?? {})
  }
  if (endpoint.encoding === 'multipart') init.body = formDataOf(input)
  const response = await networkResult(transport.fetch(transport.base + addressOf(endpoint, input), init))
  const text = await networkResult(response.text())
  if (!response.ok) throw new CallError(response.status, text, response)
  return parseAnswer(endpoint, text)
}

const tokenFor = (transport: Transport, signal: AbortSignal | undefined): Promise<string> =>
  signal ? csrfTokenBefore(transport, signal, toNetworkError) : csrfToken(transport)

async function networkResult<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toNetworkError(error)
  }
}

/** Passes the caller's own AbortError through. */
const toNetworkError = (error: unknown): unknown =>
  error instanceof DOMException && error.name === 'AbortError' ? error : networkErrorOf(error)

/** The content of a multipart call. */
interface Parts {
  /** Each defined member becomes a field. */
  body?: object | undefined
  /** The parts that carry a file, by name. */
  files?: Record<string, File | Blob | undefined> | undefined
}

/** Builds the body of a multipart call. Fields precede files, so that the server can reject before it reads a file. */
function formDataOf({ body = {}, files = {} }: Parts): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(definedStrings(body))) form.append(name, value)
  for (const [name, file] of Object.entries(files)) if (file) form.append(name, file)
  return form
}

/** Returns the defined members as strings for a form or a query; anything but a string is JSON-encoded. */
function definedStrings(members: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}
