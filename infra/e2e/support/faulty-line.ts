import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The fate of one request between the browser and the server. */
export type LineFault =
  | 'none'
  | 'lost request'
  | 'lost answer'
  | 'cut answer'
  | 'silence'
  | 'bad gateway'
  | 'foreign JSON'
  | 'foreign page'

export const lineFaults: readonly LineFault[] = [
  'lost request',
  'lost answer',
  'cut answer',
  'bad gateway',
  'foreign JSON',
  'foreign page',
  'silence',
]

/** A proxy between the browser and a product. */
export interface FaultyLine {
  readonly url: string
  /** Chooses the fault of each request from now on. */
  faultOf: (method: string, path: string) => LineFault
  /** How often each fault was met. */
  readonly met: Map<LineFault, number>
  stop(): Promise<void>
}

export async function serveFaultyLine(product: string): Promise<FaultyLine> {
  const met = new Map<LineFault, number>()
  const server = createServer((incoming, outgoing) => {
    const fault = line.faultOf(incoming.method!, new URL(incoming.url!, product).pathname)
    met.set(fault, (met.get(fault) ?? 0) + 1)
    const instead = answers[fault]
    if (instead) answerInstead(incoming, outgoing, instead)
    else if (fault === 'lost request') incoming.destroy()
    // The browser's own limit ends it.
    else if (fault === 'silence') incoming.resume()
    else forward(product, incoming, outgoing, fault)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const line: FaultyLine = {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    faultOf: () => 'none',
    met,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return line
}

interface Instead {
  status: number
  type: string
  body: string
}

const portal = '<!doctype html><title>Motel</title><p>Accept the terms to use this network.</p>'
const answers: Partial<Record<LineFault, Instead>> = {
  'bad gateway': { status: 502, type: 'text/html', body: '<h1>502 Bad Gateway</h1>' },
  'foreign JSON': { status: 200, type: 'application/json', body: '{"status":"ok","success":true}' },
  'foreign page': { status: 200, type: 'text/html', body: portal },
}

function answerInstead(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, type, body }: Instead,
): void {
  incoming.resume()
  incoming.on('end', () => outgoing.writeHead(status, { 'content-type': type }).end(body))
}

function forward(
  product: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: LineFault,
): void {
  const { method, headers } = incoming
  const onward = request(new URL(incoming.url!, product), { method, headers }, (answer) => {
    if (fault === 'lost answer') {
      answer.resume()
      outgoing.destroy()
      return
    }
    outgoing.writeHead(answer.statusCode!, answer.headers)
    if (fault !== 'cut answer') {
      answer.pipe(outgoing)
      return
    }
    answer.once('data', (part: Buffer) => {
      outgoing.write(part.subarray(0, part.length >> 1), () => outgoing.destroy())
      answer.resume()
    })
    answer.once('end', () => outgoing.destroy())
  })
  onward.on('error', () => outgoing.destroy())
  outgoing.on('close', () => {
    if (fault === 'none') onward.destroy()
  })
  incoming.pipe(onward)
}
