import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { seededRandom } from '@fellowship/sync/testing/random'

/** A line between browser and server. */
export interface LineQuality {
  /** To the browser, bits per second; a quarter of it to the server. */
  rate: number
  /** From a request to its answer, milliseconds. */
  delay: number
  /** Share of the packets that are lost: their connection stands still for two delays, as the sender repeats them. */
  loss?: number
}

export interface Line extends LineQuality {
  readonly url: string
  /** Changes the quality of the line from now on. */
  become(quality: LineQuality): void
  /** Without signal no byte passes, and nothing is refused. */
  setSignal(isThere: boolean): void
  /** Bytes that have passed to the browser. */
  received(): number
  stop(): Promise<void>
}

/** How often bytes are passed on. */
const tickMs = 10
const packet = 1_400
/** The TCP stack of a browser gives up waiting for an answer over a connection that was cut off for this long. */
const staleMs = 20_000

interface Parcel {
  data: Buffer
  /** When it may arrive, by `performance.now()`. */
  at: number
}

/** A connection of the browser, and the one that it leads to. */
class Wire {
  readonly down: Parcel[] = []
  readonly up: Parcel[] = []
  readonly browser: Socket
  readonly server: Socket
  stillUntil = 0
  isStale = false
  #hasEnded = false

  constructor(browser: Socket, server: Socket, delay: () => number) {
    this.browser = browser
    this.server = server
    const later = () => performance.now() + delay() / 2
    server.on('data', (data: Buffer) => {
      this.down.push({ data, at: later() })
      // As much as a network holds: the server notices a slow line.
      if (this.waiting() > 128 * 1024) server.pause()
    })
    browser.on('data', (data: Buffer) => this.up.push({ data, at: later() }))
    server.on('end', () => (this.#hasEnded = true))
    for (const [socket, other] of [
      [browser, server],
      [server, browser],
    ] as const) {
      socket.on('error', () => other.destroy())
      socket.on('close', () => (socket === browser ? other.destroy() : undefined))
    }
  }

  waiting(): number {
    return this.down.reduce((sum, { data }) => sum + data.length, 0)
  }

  settle(): void {
    if (this.waiting() < 64 * 1024) this.server.resume()
    if (this.down.length === 0 && (this.#hasEnded || this.server.destroyed)) this.browser.end()
  }
}

/** Serves a product over a line of this quality; all connections share it. */
export async function serveLine(product: string, quality: LineQuality, seed = 1): Promise<Line> {
  const target = new URL(product)
  const random = seededRandom(seed)
  const wires = new Set<Wire>()
  let { rate, delay, loss = 0 } = quality
  let lostAt: number | undefined
  let passed = 0
  let credit = { down: 0, up: 0 }
  let last = performance.now()

  const server = createServer((browser) => {
    browser.setNoDelay(true)
    const onward = connect(Number(target.port), target.hostname)
    onward.setNoDelay(true)
    const wire = new Wire(browser, onward, () => delay)
    wires.add(wire)
    browser.on('close', () => wires.delete(wire))
    // A new connection needs a round of its own.
    wire.stillUntil = performance.now() + delay
  })

  /** Passes on what the line has room for, one packet of each connection after the other. */
  function pass(way: 'down' | 'up', now: number): void {
    for (let moved = true; moved && credit[way] > 0;) {
      moved = false
      for (const wire of wires) {
        const [first] = wire[way]
        if (!first || first.at > now || wire.stillUntil > now || wire.isStale || credit[way] <= 0) continue
        const part = first.data.subarray(0, packet)
        const to = way === 'down' ? wire.browser : wire.server
        if (to.destroyed) wire[way].length = 0
        else to.write(part)
        if (part.length === first.data.length) wire[way].shift()
        else first.data = first.data.subarray(packet)
        credit[way] -= part.length
        if (way === 'down') passed += part.length
        if (random.chance(loss)) wire.stillUntil = now + 2 * delay
        moved = true
      }
    }
  }

  const timer = setInterval(() => {
    const now = performance.now()
    const bytes = lostAt === undefined ? ((now - last) * rate) / 8_000 : 0
    last = now
    // What it did not use is lost, but for a packet.
    credit = { down: Math.min(credit.down, packet) + bytes, up: Math.min(credit.up, packet) + bytes / 4 }
    if (lostAt !== undefined) return
    pass('up', now)
    pass('down', now)
    for (const wire of wires) wire.settle()
  }, tickMs)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    get rate() {
      return rate
    },
    get delay() {
      return delay
    },
    become(next) {
      ;({ rate, delay, loss = 0 } = next)
    },
    setSignal(isThere) {
      if (!isThere) lostAt ??= performance.now()
      else if (lostAt !== undefined) {
        const wasLong = performance.now() - lostAt > staleMs
        lostAt = undefined
        if (wasLong) for (const wire of wires) wire.isStale = true
      }
    },
    received: () => passed,
    stop: () =>
      new Promise((resolve) => {
        clearInterval(timer)
        for (const wire of wires) for (const socket of [wire.browser, wire.server]) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
