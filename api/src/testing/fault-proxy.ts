import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to one request on its way. `after` counts bytes of its body. */
export type Fault =
  | { kind: 'none' }
  /** The line breaks, in both directions. */
  | { kind: 'cut'; after: number }
  /** Nothing moves any more, and nobody hears of it. */
  | { kind: 'stall'; after: number }
  /** Done, but its answer never arrives. */
  | { kind: 'lost answer' }
  /** Somebody on the way answers. */
  | { kind: 'status'; status: number; body?: object }
  /** Arrives twice; the first answer is the one that is lost. */
  | { kind: 'twice' }
  /** Something is done to the server in the middle; then the line breaks. */
  | { kind: 'interrupt'; after: number; run: () => Promise<void> }

export interface FaultProxy {
  readonly url: string
  /** Asked for each request. */
  fault: (request: { method: string; path: string }) => Fault
  /** Told of each answer that arrives at the client, with its status. */
  onAnswer: (request: { method: string; path: string }, status: number) => void
  close(): Promise<void>
}

/** A line to a server, wherever it is by now, on which everything may go wrong. */
export async function faultProxy(target: () => string): Promise<FaultProxy> {
  const agent = new http.Agent({ keepAlive: false })
  const server = http.createServer((request, response) => {
    const about = { method: request.method!, path: request.url! }
    const fault = proxy.fault(about)
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    // Of a request whose connection has ended there is no socket any more.
    const { socket } = request
    void pass(fault, about, request, response).catch(() => socket.destroy())
  })

  async function pass(
    fault: Fault,
    about: { method: string; path: string },
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const { socket } = request
    const answer = (status: number, headers: http.OutgoingHttpHeaders, body: Buffer) => {
      proxy.onAnswer(about, status)
      response.writeHead(status, headers).end(body)
    }
    if (fault.kind === 'status') {
      request.resume()
      const body = Buffer.from(fault.body ? JSON.stringify(fault.body) : '<html>Bad gateway</html>')
      return answer(
        fault.status,
        { 'content-length': body.length },
        about.method === 'HEAD' ? Buffer.alloc(0) : body,
      )
    }
    const limit = 'after' in fault ? fault.after : Infinity
    const upstream = open(about, request)
    let passed = 0
    let isBroken = false
    for await (const chunk of request as AsyncIterable<Buffer>) {
      const room = limit - passed
      upstream.write(room < chunk.length ? chunk.subarray(0, room) : chunk)
      passed += Math.min(chunk.length, room)
      if (passed >= limit) {
        isBroken = true
        break
      }
    }
    if (isBroken) {
      // What was written has a moment to arrive.
      await new Promise((resolve) => setTimeout(resolve, 20))
      if (fault.kind === 'interrupt') await fault.run()
      if (fault.kind === 'stall') {
        // It ends when the client gives up; the server still believes in it.
        await new Promise((resolve) => socket.once('close', resolve))
        setTimeout(() => upstream.destroy(), 3_000).unref()
        return
      }
      upstream.destroy()
      socket.destroy()
      return
    }
    const first = await end(upstream)
    if (fault.kind === 'twice') {
      const second = await end(open(about, request))
      return answer(second.status, second.headers, second.body)
    }
    if (fault.kind === 'lost answer' || fault.kind === 'cut') return void socket.destroy()
    if (fault.kind === 'interrupt') {
      await fault.run()
      return void socket.destroy()
    }
    answer(first.status, first.headers, first.body)
  }

  function open({ method, path }: { method: string; path: string }, { headers }: http.IncomingMessage) {
    const upstream = http.request(target() + path, {
      method,
      agent,
      headers: { ...headers, connection: 'close' },
    })
    upstream.on('error', () => undefined)
    return upstream
  }
  async function end(upstream: http.ClientRequest) {
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
