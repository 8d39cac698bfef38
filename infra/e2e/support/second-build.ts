import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A product with a second build that can be released. */
export interface TwoBuilds {
  readonly url: string
  /** Serves the second build from now on: a changed worker and page. */
  release(): void
  /** Serves the first build again. */
  rollBack(): void
  /** Aborts the requests of an installing worker until it is switched off. */
  breakInstallation(isBroken: boolean): void
  /**
   * Answers the page of the build, which has no digest, with HTML of its own and status 200, as a portal does, until it is
   * switched off. The browser itself refuses other files, by their digest.
   */
  falsify(isFalse: boolean): void
  stop(): Promise<void>
}

/** Identifies the page of the second build. */
const secondBuildMark = '<meta name="build" content="second">'

/** A proxy in front of a product that serves its client as a second build once released. */
export async function serveTwoBuilds(product: string): Promise<TwoBuilds> {
  let released = false
  let broken = false
  let falsified = false
  const server = createServer((incoming, outgoing) => {
    const path = new URL(incoming.url!, product).pathname
    const isPage =
      incoming.method === 'GET' && (path === '/index.html' || !/^\/(api|audio|images)\/|\.\w+$/.test(path))
    if (broken && path === '/index.html') return void outgoing.destroy()
    if (falsified && path === '/index.html') {
      incoming.resume()
      outgoing.writeHead(200, { 'content-type': 'text/html' })
      return void outgoing.end('<!doctype html><title>Free WiFi</title><h1>Sign in to the network</h1>')
    }
    if (released && (path === '/service-worker.js' || isPage)) {
      return forward(product, incoming, outgoing, isPage ? markPage : anotherWorker)
    }
    forward(product, incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    release: () => void (released = true),
    rollBack: () => void (released = false),
    breakInstallation: (isBroken) => void (broken = isBroken),
    falsify: (isFalse) => void (falsified = isFalse),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const markPage = (html: string) => html.replace('<head>', `<head>${secondBuildMark}`)

/** Changes the revision of the page in the precache list, as a new build does. */
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
  // A response to be changed must be uncompressed and complete.
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
