import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** The fault of one request. `after` counts bytes of its body. */
export type ProxyFault =
  | { kind: 'none' }
  /** The connection breaks, in both directions. */
  | { kind: 'cut'; after: number }
  /** Nothing moves any more, while the connection stays open. */
  | { kind: 'stall'; after: number }
  /** The server answers, but the answer never arrives. */
  | { kind: 'lost answer' }
  /** A gateway answers instead of the server. */
  | { kind: 'status'; status: number; body?: object }
  /** The request arrives twice; the first answer is lost. */
  | { kind: 'twice' }
  /** `run` does something to the server in the middle; then the connection breaks. */
  | { kind: 'interrupt'; after: number; run: () => Promise<void> }
  /** Half of the answer's body arrives; `run` does something to the client; then the connection breaks. */
  | { kind: 'half answer'; run: () => Promise<void> }

export interface FaultProxy {
  readonly url: string
  /** Called for each request. */
  fault: (request: { method: string; path: string }) => ProxyFault
  /** Called for each answer that arrives at the client, with its status. */
  onAnswer: (request: { method: string; path: string }, status: number) => void
  close(): Promise<void>
}

/** A proxy in front of a server, at whatever address the server has by now, which causes the wanted faults. */
export async function faultProxy(target: () => string): Promise<FaultProxy> {
  const agent = new http.Agent({ keepAlive: false })
  const server = http.createServer((request, response) => {
    const about = { method: request.method!, path: request.url! }
    const fault = proxy.fault(about)
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    // Read at once: a request whose connection has ended has no socket.
    const { socket } = request
    const open = () => openUpstream(target() + about.path, agent, request)
    const answer = ({ status, headers, body }: Answer) => {
      proxy.onAnswer(about, status)
      response.writeHead(status, headers).end(body)
    }
    void pass(fault, { request, response, socket, open, answer }).catch(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: () => ({ kind: 'none' }),
    onAnswer: () => undefined,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

interface Answer {
  status: number
  headers: http.OutgoingHttpHeaders
  body: Buffer
}

interface Exchange {
  request: http.IncomingMessage
  response: http.ServerResponse
  socket: Socket
  /** Opens the same request at the server. */
  open: () => http.ClientRequest
  /** Answers the client. */
  answer: (answer: Answer) => void
}

async function pass(fault: ProxyFault, exchange: Exchange): Promise<void> {
  const { request, response, socket, open, answer } = exchange
  if (fault.kind === 'status') {
    request.resume()
    return answer(answerOf(fault, request.method))
  }
  const upstream = open()
  const sent: Buffer[] = []
  const isWhole = await forwardBody(request, upstream, 'after' in fault ? fault.after : Infinity, sent)
  if (!isWhole) return breakOff(fault, upstream, socket)
  const first = await readAnswer(upstream)
  if (fault.kind === 'twice') {
    const again = open()
    for (const chunk of sent) again.write(chunk)
    return answer(await readAnswer(again))
  }
  if (fault.kind === 'half answer') {
    response.writeHead(first.status, { ...first.headers, 'content-length': first.body.length })
    response.write(first.body.subarray(0, first.body.length / 2))
    // Written bytes have a moment to arrive.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await fault.run()
    return void socket.destroy()
  }
  if (fault.kind === 'interrupt') await fault.run()
  if (fault.kind === 'lost answer' || fault.kind === 'cut' || fault.kind === 'interrupt') {
    return void socket.destroy()
  }
  answer(first)
}

function answerOf({ status, body }: ProxyFault & { kind: 'status' }, method: string | undefined): Answer {
  const bytes = Buffer.from(body ? JSON.stringify(body) : '<html>Bad gateway</html>')
  const headers = { 'content-length': bytes.length }
  return { status, headers, body: method === 'HEAD' ? Buffer.alloc(0) : bytes }
}

/** Forwards at most `limit` bytes, and counts them in `sent`; false if the body reached the limit. */
async function forwardBody(
  request: http.IncomingMessage,
  upstream: http.ClientRequest,
  limit: number,
  sent: Buffer[],
): Promise<boolean> {
  let passed = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const room = limit - passed
    sent.push(chunk)
    upstream.write(room < chunk.length ? chunk.subarray(0, room) : chunk)
    passed += Math.min(chunk.length, room)
    if (passed >= limit) return false
  }
  return true
}

async function breakOff(fault: ProxyFault, upstream: http.ClientRequest, socket: Socket): Promise<void> {
  // Written bytes have a moment to arrive.
  await new Promise((resolve) => setTimeout(resolve, 20))
  if (fault.kind === 'interrupt') await fault.run()
  if (fault.kind === 'stall') {
    // It ends when the client gives up; the server notices only later.
    await new Promise((resolve) => socket.once('close', resolve))
    setTimeout(() => upstream.destroy(), 3_000).unref()
    return
  }
  upstream.destroy()
  socket.destroy()
}

function openUpstream(url: string, agent: http.Agent, { method, headers }: http.IncomingMessage) {
  const upstream = http.request(url, { method, agent, headers: { ...headers, connection: 'close' } })
  upstream.on('error', () => undefined)
  return upstream
}

async function readAnswer(upstream: http.ClientRequest): Promise<Answer> {
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve)
    upstream.once('close', () => reject(new Error('no answer')))
  })
  upstream.end()
  const response = await answered
  const pieces: Buffer[] = []
  for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece)
  const { connection: _, 'transfer-encoding': __, ...headers } = response.headers
  return { status: response.statusCode!, headers, body: Buffer.concat(pieces) }
}
