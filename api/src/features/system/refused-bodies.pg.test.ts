import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const port = Number(new URL(app.url).port)
const connections = () =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

/** Begins a body that is refused before its end, and waits for the answer. */
async function refused() {
  const socket = connect(port, '127.0.0.1')
  const closed = once(socket, 'close')
  socket.on('error', () => undefined)
  const head = 'POST /api/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n11000\r\n${'a'.repeat(0x11000)}\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return { socket, closed, status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))![1]) }
}

test('a caller leaving mid-body leaves no connection', async () => {
  const { socket, status } = await refused()
  expect([status, await connections()]).toEqual([413, 1])
  socket.destroy()
  await expect.poll(connections, { timeout: 10_000 }).toBe(0)
})

test('a silent caller is disconnected within seconds', async () => {
  const { closed, status } = await refused()
  expect(status).toBe(413)
  await closed
  await expect.poll(connections, { timeout: 10_000 }).toBe(0)
})
