import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/**
 * A name server that answers questions for an IPv4 address with these, one after the other and then the last one again; and
 * no other kind of question. Without addresses it is silent.
 */
export async function nameServer(...addresses: (readonly number[])[]) {
  const socket = createSocket('udp4')
  let asked = 0
  let answered = 0
  socket.on('message', (question: Buffer, { port, address: client }: RemoteInfo) => {
    asked += 1
    const isIpv4 = question.includes(Buffer.of(0, 1, 0, 1), 12)
    const address = addresses[Math.min(answered, addresses.length - 1)]
    if (!address) return
    if (isIpv4) answered += 1
    const head = Buffer.concat([
      question.subarray(0, 2),
      Buffer.of(0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0),
    ])
    const end = question.indexOf(0, 12) + 5
    const answer = Buffer.of(0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address)
    socket.send(Buffer.concat([head, question.subarray(12, end), ...(isIpv4 ? [answer] : [])]), port, client)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, asked: () => asked }
}
