import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A TCP port that is free, and stays so until it is used: below those that systems give to each connection (from 32,768 on
 * in Linux, from 49,152 on elsewhere), of which a run of the tests opens thousands. One that a system chose may be taken
 * while a server starts that is to listen there.
 */
export async function freePort(): Promise<number> {
  const port = lowest + Math.floor(Math.random() * count)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}

const lowest = 20_000
const count = 10_000
