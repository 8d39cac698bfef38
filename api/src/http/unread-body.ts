import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

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

/** Nobody reads the request any more, so that its end, or the caller's, would not be noticed. */
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
