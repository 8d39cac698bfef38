/** `send-raw-requests.ts url options`: sends bytes as `RawRequests` says. Prints how often they were sent. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawRequests } from './flood.ts'
import { timeIsUp } from './latency.ts'

const [url = '', options = ''] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const { request, leave, connections, seconds } = JSON.parse(options) as RawRequests

// The measuring process shares this core and must not wait for this one.
setPriority(19)
const isOver = timeIsUp(seconds * 1000)
let sent = 0
const one = async () => {
  while (!isOver()) {
    const socket = connect(Number(port), hostname)
    const closed = once(socket, 'close').catch(() => undefined)
    socket.on('error', () => undefined).resume()
    socket.write(request, () => leave && socket.destroy())
    await Promise.race([closed, sleep(5000)])
    socket.destroy()
    sent += 1
  }
}
await Promise.all(Array.from({ length: connections }, one))
console.log(sent)
