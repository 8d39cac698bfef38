import type { IncomingMessage, ServerResponse } from 'node:http'

/** As nginx's lingering_time and lingering_timeout. */
const longestMs = 30_000
const longestSilenceMs = 5_000

/**
 * Lets a refusal reach a client that is still sending: most read the answer only after their last byte, and a
 * connection closed under them shows as a network fault. What still comes is read and dropped, for a while.
 */
export function lingerOverBody(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return
  // Where the client asked for it, Node would close with the last byte of the answer; we do it when all has come.
  const close = !response.shouldKeepAlive
  response.shouldKeepAlive = true
  response.once('finish', () => {
    if (request.complete) {
      if (close) request.socket.end()
    } else if (!request.destroyed) drop(request, close)
  })
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

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
