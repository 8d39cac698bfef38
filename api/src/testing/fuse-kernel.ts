import type { Duplex } from 'node:stream'
import { getSystemErrorName } from 'node:util'
import { replyHeader, replyHeaderBytes, requestMessage, type Opcode } from './fuse-messages.ts'

/** An error of the file system, by its name: 'ENOENT'. */
class MountRefusal extends Error {
  override readonly name = 'MountRefusal'
  readonly code: string
  constructor(opcode: Opcode, code: string) {
    super(`${opcode}: ${code}`)
    this.code = code
  }
}

/** Sends one request to the file system; resolves to the body of its answer. */
export type AskFileSystem = (opcode: Opcode, node: bigint, body?: Buffer) => Promise<Buffer>

/**
 * The kernel's end of a mount, over `stream`: one request at a time, as the kernel writes them to /dev/fuse. That device
 * preserves message boundaries and a stream does not, so each request is one small write, which arrives as a whole.
 *
 * @param last resolves with the reason when the file system has ended
 */
export function fuseKernel(stream: Duplex, last: Promise<Error>): AskFileSystem {
  let received = Buffer.alloc(0)
  let unique = 0n
  let waiting: { unique: bigint; answer: (data: Buffer, error: number) => void } | undefined
  stream.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data])
    for (;;) {
      const header = replyHeader(received)
      if (!header || received.length < header.bytes) return
      const body = received.subarray(replyHeaderBytes, header.bytes)
      received = received.subarray(header.bytes)
      // Notifications of the file system have no id.
      if (waiting && header.unique === waiting.unique) waiting.answer(body, header.error)
    }
  })
  let before: Promise<unknown> = Promise.resolve()
  const ask = (opcode: Opcode, node: bigint, body: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      unique += 2n
      waiting = {
        unique,
        answer: (data, error) =>
          error === 0 ? resolve(data) : reject(new MountRefusal(opcode, getSystemErrorName(error))),
      }
      void last.then(reject)
      stream.write(requestMessage(opcode, unique, node, body))
    })
  return (opcode, node, body = Buffer.alloc(0)) => {
    const answered = before.then(() => ask(opcode, node, body))
    before = answered.catch(() => undefined)
    return answered
  }
}
