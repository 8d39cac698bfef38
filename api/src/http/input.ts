import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { z } from 'zod'
import { Problem } from '@fellowship/schema/problem'
import type { Http } from './caller.ts'

/** JSON bodies are small; recordings are streamed. */
const maxJsonBytes = 64 * 1024
/** How long they may take to arrive. */
const maxJsonMs = 30_000

/** Parses input by its schema or refuses with the first issue's sentence; `issues` lists every field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  throw new Problem('invalid_input', sentence(issues[0]), { issues })
}

/**
 * The JSON body of a request; no body at all reads as an empty object.
 *
 * @throws Problem `too_large`, `too_slow`, `unsupported_media`, `malformed_json`
 */
export async function readJson(http: Http, withinMs = maxJsonMs): Promise<unknown> {
  const declared = Number(http.req.header('content-length') ?? 0)
  if (declared > maxJsonBytes) throw tooLong()
  const bytes = await readBounded(http.env.incoming, { withinMs, most: maxJsonBytes, tooLong })
  if (bytes.length === 0) return {}
  const type = http.req.header('content-type') ?? ''
  if (!/^application\/([\w.+-]*\+)?json\b/i.test(type)) {
    throw new Problem(
      'unsupported_media',
      'Send the body as JSON with the header Content-Type: application/json.',
    )
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Problem('malformed_json')
  }
}

/** Read from the connection itself: a body as a web stream costs ten times as much. Refused bytes stay unread. */
export function readBounded(
  incoming: IncomingMessage,
  {
    withinMs = maxJsonMs,
    most,
    tooLong: refusal,
  }: { withinMs?: number; most: number; tooLong: () => Problem },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length > most) refuse(refusal())
      else chunks.push(chunk)
    }
    const finish = () => {
      stop()
      resolve(Buffer.concat(chunks))
    }
    const refuse = (error: Error) => {
      stop()
      incoming.pause()
      reject(error)
    }
    const late = setTimeout(() => refuse(new Problem('too_slow')), withinMs)
    const stop = () => {
      clearTimeout(late)
      incoming.off('data', take).off('end', finish).off('error', refuse)
    }
    incoming.on('error', refuse).on('end', finish).on('data', take)
  })
}

const tooLong = () => new Problem('too_large', `The request body may have at most ${maxJsonBytes / 1024} kB.`)

/** A generic message such as 'Required' gets the name of its field in front. */
function sentence(issue: { field: string; message: string } | undefined): string {
  if (!issue) return 'Invalid input'
  const generic =
    /^(Required|Expected |Invalid (input|enum|literal|uuid)|String must|Number must|Array must)/.test(
      issue.message,
    )
  return generic && issue.field !== '' ? `${issue.field}: ${issue.message}` : issue.message
}

/** The values of nginx's lingering_time and lingering_timeout. */
const longestMs = 30_000
const longestSilenceMs = 5_000

/**
 * Lets a refusal reach a client that is still sending: most clients read the answer only after their last byte, and
 * report a closed connection as a network error. The rest of the body is read and dropped, for a limited time.
 */
export function lingerOverBody(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return
  // A request that was destroyed has lost it by then.
  const { socket } = request
  // With `Connection: close` Node would close right after the answer; here it is closed once the body has arrived.
  const close = !response.shouldKeepAlive
  response.shouldKeepAlive = true
  response.once('finish', () => {
    if (request.complete) {
      if (close) socket.end()
    } else if (request.destroyed) letGo(socket)
    else drop(request, close)
  })
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Closes the connection after a limited silence: a request that is no longer read does not report its end. */
function letGo(socket: Socket): void {
  const late = setTimeout(() => socket.destroy(), longestSilenceMs)
  socket.once('close', () => clearTimeout(late))
  socket.end()
  socket.resume()
}

function drop(request: IncomingMessage, close: boolean): void {
  const { socket } = request
  const breakOff = () => socket.destroy()
  const whole = setTimeout(breakOff, longestMs)
  let silence = setTimeout(breakOff, longestSilenceMs)
  request.unpipe()
  request.on('data', () => {
    clearTimeout(silence)
    silence = setTimeout(breakOff, longestSilenceMs)
  })
  request.once('end', () => {
    if (close) socket.end()
  })
  request.once('error', () => undefined)
  request.once('close', () => {
    clearTimeout(whole)
    clearTimeout(silence)
  })
  request.resume()
}
