import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A product whose next version can be put live. */
export interface TwoBuilds {
  readonly url: string
  /** From now on the second build is served: another worker, and another page that it precaches. */
  release(): void
  stop(): Promise<void>
}

/** What the page of the second build says of itself. */
export const secondBuildMark = '<meta name="build" content="second">'

/** Stands before a running product and serves its client as a second build, once that is released. */
export async function serveTwoBuilds(product: string): Promise<TwoBuilds> {
  let released = false
  const server = createServer((incoming, outgoing) => {
    const path = new URL(incoming.url!, product).pathname
    const isPage =
      incoming.method === 'GET' && (path === '/index.html' || !/^\/(api|audio|images)\/|\.\w+$/.test(path))
    if (released && (path === '/service-worker.js' || isPage)) {
      return forward(product, incoming, outgoing, isPage ? markPage : anotherWorker)
    }
    forward(product, incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    release: () => void (released = true),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const markPage = (html: string) => html.replace('<head>', `<head>${secondBuildMark}`)

/** The list of what is precached tells another revision of the page, as after any build that changed it. */
function anotherWorker(script: string): string {
  const changed = script.replace(/(\{[^{}]*["']?url["']?:\s*["']index\.html["'][^{}]*\})/, (entry) =>
    entry.replace(/(revision["']?:\s*["'])[^"']*/, '$1second'),
  )
  if (changed === script) throw new Error('The worker does not precache index.html')
  return changed
}

function forward(
  product: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  change?: (text: string) => string,
): void {
  // What is changed must not be compressed, and must come whole.
  const { 'accept-encoding': _, 'if-none-match': __, ...plain } = incoming.headers
  const headers = change ? plain : incoming.headers
  const onward = request(new URL(incoming.url!, product), { method: incoming.method, headers }, (answer) => {
    if (!change) {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
      return
    }
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.on('end', () => {
      const body = change(Buffer.concat(parts).toString())
      const { etag: _, 'content-length': __, ...rest } = answer.headers
      outgoing.writeHead(answer.statusCode!, { ...rest, 'content-length': Buffer.byteLength(body) })
      outgoing.end(body)
    })
  })
  onward.on('error', () => outgoing.destroy())
  outgoing.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
