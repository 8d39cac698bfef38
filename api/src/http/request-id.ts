import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const ids = new WeakMap<ServerResponse, string>()

export const requestIdHeader = 'x-request-id'

/** Gives a request an id, or keeps the one that a trusted proxy gave it. */
export function giveRequestId(
  request: IncomingMessage,
  response: ServerResponse,
  trustProxy: boolean,
): string {
  const given = trustProxy ? request.headers[requestIdHeader] : undefined
  const id = typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
  ids.set(response, id)
  return id
}

export const requestIdOf = (response: ServerResponse): string | undefined => ids.get(response)
