import type { AnyEndpoint, AnswerOf, BodyOf, ParamsOf, QueryOf } from '@fellowship/schema/endpoint'
import { csrfToken, csrfTokenBefore, forgetCsrfToken } from './csrf.ts'
import { CallError, NetworkError, parseAnswer } from './call-error.ts'
import { definedStrings, formDataOf } from './form-data.ts'
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
}

export { browserTransport, type Transport } from './transport.ts'

/**
 * Makes a declared call and returns its answer. State-changing calls carry the CSRF token; a token that the
 * server calls stale is fetched anew once.
 *
 * @throws CallError when the server refused or failed: '<status>: <body>', with its code and sentence
 * @throws NetworkError when no answer came
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

/** The address of a call, its parameters and query filled in. */
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
  if (endpoint.encoding === 'json') {
    headers['content-type'] = 'application/json'
    init.body = JSON.stringify(input.body ?? {})
  }
  if (endpoint.encoding === 'multipart') init.body = formDataOf(input)
  const response = await answered(transport.fetch(transport.base + addressOf(endpoint, input), init))
  const text = await answered(response.text())
  if (!response.ok) throw new CallError(response.status, text || response.statusText)
  return parseAnswer<AnswerOf<E>>(text)
}

const tokenFor = (transport: Transport, signal: AbortSignal | undefined): Promise<string> =>
  signal ? csrfTokenBefore(transport, signal, unlessAborted) : csrfToken(transport)

async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw unlessAborted(error)
  }
}

/** A caller that aborts gets its own AbortError back; any other failure is that of the network. */
const unlessAborted = (error: unknown): unknown =>
  error instanceof DOMException && error.name === 'AbortError' ? error : new NetworkError(error)
