import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { diskBlobStore } from '../machine/storage/disk-blob-store.ts'
import { sendFile } from './send-file.ts'
import { sendingBudget } from './sending-budget.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'send-file-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const blobs = diskBlobStore(folder)
const content = Buffer.alloc(64 * 2 ** 20, 'sound')
await writeFile(path.join(folder, 'audio', 'a.wav'), content)

/** Sends the file to each client; returns the responses and their ends. */
async function site(options: Partial<Parameters<typeof sendFile>[3]>) {
  const file = (await blobs.open('audio', 'a.wav'))!
  const responses: ServerResponse[] = []
  const ends: Promise<unknown>[] = []
  const server = createServer((request, response) => {
    responses.push(response)
    const sent = { tag: '"a"', headers: {}, address: 'one', ...options }
    ends.push(
      sendFile(request, response, file, sent).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(503).end()
        return error
      }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await Promise.all(ends)
    await file.close()
  })
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/`
  /** A client that reads nothing. */
  const stall = async () => {
    const client = connect(port, '127.0.0.1').pause()
    client.on('error', () => undefined)
    onTestFinished(() => void client.destroy())
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(server, 'request')
  }
  return { address, stall, responses, ends }
}

test('disconnects a client that takes no byte', async () => {
  const { stall, responses, ends } = await site({ stalledMs: 200 })
  await stall()
  await ends[0]
  expect([responses[0]!.destroyed, responses[0]!.writableFinished]).toEqual([true, false])
})

test('a stalled response holds one small piece', async () => {
  const { stall, responses } = await site({ sending: sendingBudget({ extra: 0 }) })
  await stall()
  // The system takes some megabytes before it takes no more.
  const held = () => responses[0]!.socket!.bytesWritten
  await expect.poll(held, { interval: 300 }).toBeGreaterThan(100_000)
  let before = 0
  await expect.poll(() => before === (before = held()), { interval: 300 }).toBe(true)
  expect(responses[0]!.writableLength).toBeGreaterThan(0)
  expect(responses[0]!.writableLength).toBeLessThanOrEqual(64 * 1024)
})

test('refuses a client beyond the budget, and sends to it later', async () => {
  const sending = sendingBudget({ all: 32 * 1024, extra: 0, stalledMs: 60_000 })
  const { address, stall, responses, ends } = await site({ sending })
  await stall()
  const refused = await fetch(address)
  expect(refused.status).toBe(503)
  expect(await ends[1]).toMatchObject({ code: 'unavailable' })
  responses[0]!.destroy()
  await ends[0]
  const bytes = Buffer.from(await (await fetch(address)).arrayBuffer())
  expect(bytes.equals(content)).toBe(true)
})
